#include <hdf5.h>

#include "traces/hdf5_handle.h"
#include "traces/zstd_filter.h"

namespace goldentrace {

void register_zstd_filter() {
  static const bool done = hdf5_check(H5Zregister(zstd_filter_class()), "register the Zstandard filter") >= 0;
  static_cast<void>(done);
}

}  // namespace goldentrace
