// Numbers as reports show them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace goldentrace {

// "%.Ng" of a finite value; "nan", "inf", "-inf" otherwise.
std::string show(double value, int digits = 3);
// What JSON has no number for, as one spelling of all documents: "NaN", "Infinity", "-Infinity".
std::string json_word(double nonfinite);
// The shortest text that reads back as the same double: "1e-05", "0.1".
std::string show_exact(double value);
// "[4, 768]", "[]".
std::string show_list(std::span<const std::int64_t> values);
// "1 record", "2 records".
std::string counted(std::int64_t count, const std::string& noun);
// Row-major coordinates of a flat index; empty for 0-dim tensors and for index -1.
std::vector<std::int64_t> coordinates(std::int64_t flat_index, std::span<const std::int64_t> shape);

}  // namespace goldentrace
