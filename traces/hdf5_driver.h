// A virtual file driver of libhdf5 over a LockedFile: one descriptor, one lock, one place for write errors, the address
// of every raw write, and raw data that lie in the file already.
#pragma once

#include <cstdint>

#include "traces/hdf5_handle.h"
#include "traces/locked_file.h"

namespace goldentrace {

// Borrowed by the driver; outlives every HDF5 handle of the file.
struct DriverTarget {
  LockedFile* file = nullptr;
  std::uint64_t begin = 0;  // where libhdf5 may write, but for the superblock; 0: directly behind that
  // The next raw data of so many bytes lie here already: they get this address and are not written. 0 bytes: none.
  std::uint64_t placed_address = 0;
  std::uint64_t placed_bytes = 0;
  std::uint64_t raw_address = 0;  // of the newest raw (not metadata) write, from the start of the file
  std::uint64_t raw_bytes = 0;
};

// Makes `access` (a file access property list) use the driver. Call under Hdf5Guard.
void use_driver(Hdf5Id access, DriverTarget& target);

}  // namespace goldentrace
