# Debian packages. Each is wrapped once, so that folders link a name and never a path.
set(HDF5_PREFER_PARALLEL OFF)
find_package(HDF5 1.10 REQUIRED COMPONENTS C)
find_package(zstd QUIET CONFIG)
find_package(fmt REQUIRED CONFIG)
find_package(nlohmann_json REQUIRED CONFIG)
find_package(tomlplusplus REQUIRED CONFIG)
find_package(CLI11 REQUIRED CONFIG)
find_package(Threads REQUIRED)

find_library(GOLDENTRACE_ZSTD_LIBRARY zstd REQUIRED)
find_library(GOLDENTRACE_XXHASH_LIBRARY xxhash REQUIRED)

add_library(goldentrace_hdf5 INTERFACE)
target_include_directories(goldentrace_hdf5 SYSTEM INTERFACE ${HDF5_C_INCLUDE_DIRS})
target_link_libraries(goldentrace_hdf5 INTERFACE ${HDF5_C_LIBRARIES})

add_library(goldentrace_codecs INTERFACE)
target_link_libraries(goldentrace_codecs INTERFACE ${GOLDENTRACE_ZSTD_LIBRARY} ${GOLDENTRACE_XXHASH_LIBRARY})
