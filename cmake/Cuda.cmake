# CUDA, where nvcc is found: the kernels of kernels/*.cu. Without it everything else builds, and device functions say
# "built without CUDA" at run time.
include(CheckLanguage)
if(NOT DEFINED GOLDENTRACE_CUDA)
  find_program(GOLDENTRACE_NVCC nvcc HINTS ENV CUDACXX ENV CUDA_PATH PATH_SUFFIXES bin PATHS /usr/local/cuda)
  if(GOLDENTRACE_NVCC AND NOT CMAKE_CUDA_COMPILER)
    set(CMAKE_CUDA_COMPILER ${GOLDENTRACE_NVCC} CACHE FILEPATH "nvcc")
  endif()
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    set(GOLDENTRACE_CUDA_DEFAULT ON)
  endif()
endif()
option(GOLDENTRACE_CUDA "Build the CUDA kernels" ${GOLDENTRACE_CUDA_DEFAULT})

if(GOLDENTRACE_CUDA)
  # Machine code for each, and for newer ones the last one's intermediate code.
  set(CMAKE_CUDA_ARCHITECTURES "80-real;90-real;100" CACHE STRING "Compute capabilities to build for")
  set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
  if(GOLDENTRACE_CCACHE AND NOT CMAKE_CUDA_COMPILER_LAUNCHER)
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${GOLDENTRACE_CCACHE})
  endif()
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
  set(CMAKE_CUDA_STANDARD 17)  # the newest that CMake 3.25 knows for nvcc
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  message(STATUS "CUDA: ${CMAKE_CUDA_COMPILER_VERSION}, architectures ${CMAKE_CUDA_ARCHITECTURES}")
endif()
