// The two functions that libhdf5 looks for in a plugin library.
#include <H5PLextern.h>

#include "traces/zstd_filter.h"

extern "C" {

H5PL_type_t H5PLget_plugin_type() { return H5PL_TYPE_FILTER; }
const void* H5PLget_plugin_info() { return goldentrace::zstd_filter_class(); }
}
