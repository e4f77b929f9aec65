# LibTorch as an imported target of our own, over the include and lib folders of a wheel or of a LibTorch folder.
# find_package(Torch) is not used: it demands a CUDA toolkit for a CUDA wheel and runs a program unless
# TORCH_CUDA_ARCH_LIST is set.
#
# Search order: -DTORCH_ROOT=, $GOLDENTRACE_DEPS/venv, <source>/.deps/venv, the python3 on the PATH.
set(TORCH_ROOT "" CACHE PATH "LibTorch: a folder with include/ and lib/, e.g. site-packages/torch")

set(GOLDENTRACE_TORCH_VERSION 2.11.0)  # the wheel that `make deps` installs

function(_goldentrace_find_torch RESULT)
  set(candidates ${TORCH_ROOT})
  foreach(deps IN ITEMS "$ENV{GOLDENTRACE_DEPS}" "${PROJECT_SOURCE_DIR}/.deps")
    if(deps)
      file(GLOB found ${deps}/venv/lib/python3.*/site-packages/torch)
      list(APPEND candidates ${found})
    endif()
  endforeach()
  foreach(root IN LISTS candidates)
    if(EXISTS ${root}/lib/libtorch_cpu.so AND EXISTS ${root}/include/ATen/record_function.h)
      set(${RESULT} ${root} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  execute_process(COMMAND python3 -c "import importlib.util as u; print(u.find_spec('torch').submodule_search_locations[0])"
                  OUTPUT_VARIABLE root OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
  if(status EQUAL 0 AND EXISTS ${root}/lib/libtorch_cpu.so)
    set(${RESULT} ${root} PARENT_SCOPE)
  endif()
endfunction()

if(NOT TARGET goldentrace::torch)
  _goldentrace_find_torch(GOLDENTRACE_TORCH_DIR)
  if(NOT GOLDENTRACE_TORCH_DIR)
    message(FATAL_ERROR "LibTorch not found: run 'make deps', or pass -DTORCH_ROOT=<folder with include/ and lib/>")
  endif()
  message(STATUS "LibTorch: ${GOLDENTRACE_TORCH_DIR}")
  add_library(goldentrace::torch INTERFACE IMPORTED GLOBAL)
  target_include_directories(goldentrace::torch SYSTEM INTERFACE
    ${GOLDENTRACE_TORCH_DIR}/include ${GOLDENTRACE_TORCH_DIR}/include/torch/csrc/api/include)
  target_link_libraries(goldentrace::torch INTERFACE
    ${GOLDENTRACE_TORCH_DIR}/lib/libtorch_cpu.so ${GOLDENTRACE_TORCH_DIR}/lib/libc10.so)
  # libtorch_cpu.so of a CUDA wheel needs libcudart and libcupti, which it finds by its own rpath at run time.
  target_link_options(goldentrace::torch INTERFACE -Wl,--allow-shlib-undefined)
  target_compile_definitions(goldentrace::torch INTERFACE NDEBUG)
endif()
