// Integers from a file: token ids, labels, masks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace goldentrace {

struct IdTable {
  std::vector<std::int64_t> shape;   // one to three sizes
  std::vector<std::int64_t> values;  // row-major
};

// A file that ends in .npy: integers or booleans of one to three dimensions, C order. Any other: whitespace- or
// comma-separated integers; lines of equal length make a table of two dimensions, otherwise the numbers are one row.
// Error: not_found, damaged or unsupported, naming the file; at most 1 GB is read.
IdTable read_id_table(const std::filesystem::path& path);

// The bytes of the file as ids from 0 to 255, one dimension.
IdTable read_text_bytes(const std::filesystem::path& path);

}  // namespace goldentrace
