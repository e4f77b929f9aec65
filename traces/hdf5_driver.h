// A virtual file driver of libhdf5 over a PartialFile: one descriptor, one lock, one place for write errors, and the
// address of every raw write.
#pragma once

#include <cstdint>

#include "traces/hdf5_handle.h"
#include "traces/partial_file.h"

namespace goldentrace {

// Borrowed by the driver; outlives every HDF5 handle of the file.
struct DriverTarget {
  PartialFile* file = nullptr;
  std::uint64_t raw_address = 0;  // of the newest raw (not metadata) write, from the start of the file
  std::uint64_t raw_bytes = 0;
};

// Makes `access` (a file access property list) use the driver. Call under Hdf5Guard.
void use_driver(Hdf5Id access, DriverTarget& target);

}  // namespace goldentrace
