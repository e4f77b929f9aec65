# Debian packages. Each is wrapped once, so that folders link a name and never a path.
set(HDF5_PREFER_PARALLEL OFF)
find_package(HDF5 1.10 REQUIRED COMPONENTS C)
find_package(nlohmann_json REQUIRED CONFIG)
find_package(tomlplusplus REQUIRED CONFIG)
find_package(CLI11 REQUIRED CONFIG)
find_package(Threads REQUIRED)

find_library(GOLDENTRACE_ZSTD_LIBRARY zstd REQUIRED)
find_library(GOLDENTRACE_XXHASH_LIBRARY xxhash REQUIRED)
find_library(GOLDENTRACE_PCRE2_LIBRARY pcre2-8 REQUIRED)

# Imported, so that an installed package names them and the consumer's own search fills them in.
if(NOT TARGET goldentrace::hdf5)
  add_library(goldentrace::hdf5 INTERFACE IMPORTED GLOBAL)
  target_include_directories(goldentrace::hdf5 SYSTEM INTERFACE ${HDF5_C_INCLUDE_DIRS})
  target_link_libraries(goldentrace::hdf5 INTERFACE ${HDF5_C_LIBRARIES})
  add_library(goldentrace::codecs INTERFACE IMPORTED GLOBAL)
  target_link_libraries(goldentrace::codecs INTERFACE ${GOLDENTRACE_ZSTD_LIBRARY} ${GOLDENTRACE_XXHASH_LIBRARY})
  add_library(goldentrace::pcre2 INTERFACE IMPORTED GLOBAL)
  target_link_libraries(goldentrace::pcre2 INTERFACE ${GOLDENTRACE_PCRE2_LIBRARY})
endif()
