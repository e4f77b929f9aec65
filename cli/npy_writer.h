// Writes a record as a NumPy .npy file (format 1.0, little-endian, C order).
#pragma once

#include <cstdint>
#include <filesystem>

#include "traces/trace_reader.h"

namespace goldentrace {

// NumPy has no bfloat16 and complex32: they are widened exactly to float32 and complex64. float8 is written as its
// bytes (uint8). Error(not_found) when the record has no payload, Error(unsupported) for None, Error(input_output)
// when the file cannot be written or the path is no regular file.
void write_npy(const std::filesystem::path& path, const TraceReader& trace, std::int64_t row);

}  // namespace goldentrace
