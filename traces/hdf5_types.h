// HDF5 datatypes of tensor elements and of table rows. Call under Hdf5Guard.
#pragma once

#include <span>

#include "traces/dtype.h"
#include "traces/format.h"
#include "traces/hdf5_handle.h"

namespace goldentrace {

// The true element type: bfloat16 as the custom float (fields 15,7,8,0,7; bias 127), complex as {r, i}, bool as the
// enumeration that h5py reads as bool. float8: bytes.
Hdf5Handle element_type(DType dtype);

Hdf5Handle row_type(std::span<const format::Field> fields, std::size_t row_bytes);
Hdf5Handle text_type(std::size_t bytes);  // fixed length, UTF-8

}  // namespace goldentrace
