// The elements of a recorded tensor as text.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/compare.h"
#include "traces/record.h"

namespace goldentrace {

// One element: integers exactly, booleans as true and false, floating values as decimal(), complex as 1+2j,
// float8 as its byte 0x3c.
std::string element_text(const TensorView& tensor, std::int64_t index);

// Nested lists: "[1, -2, 3]", rows on lines of their own; a bare number for a 0-dim tensor. After `limit` elements
// (0: none) the rest is left out and counted.
std::string tensor_text(const TensorView& tensor, std::int64_t limit);

std::string shape_text(const Shape& shape);   // "[2, 5, 8]"
std::string type_text(const Record& record);  // "float32[2, 5, 8]"; "None"

}  // namespace goldentrace
