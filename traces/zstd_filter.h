// HDF5 filter 32015: Zstandard, strict. Parameters: level, and the bytes of a chunk (0 or absent: not checked).
#pragma once

namespace goldentrace {

// Registers the filter in this process, so that nothing depends on HDF5_PLUGIN_PATH. Call under Hdf5Guard; repeated
// calls do nothing.
void register_zstd_filter();

// The H5Z_class2_t of the filter; static. The plugin library exports it too.
const void* zstd_filter_class();

}  // namespace goldentrace
