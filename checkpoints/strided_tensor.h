// A tensor that lies in a mapped file, perhaps transposed or strided: nothing is copied until somebody asks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "traces/dtype.h"

namespace goldentrace {

struct StridedTensor {
  DType dtype = DType::none;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;  // elements, none negative
  const std::byte* data = nullptr;    // the element of index 0; borrowed from the file
};

struct NamedView {
  std::string name;
  StridedTensor view;
};

std::vector<std::int64_t> contiguous_strides(const std::vector<std::int64_t>& shape);  // row-major
bool is_contiguous(const StridedTensor& view);
std::uint64_t element_count(const StridedTensor& view);  // the shape must have been checked against the file
std::uint64_t byte_count(const StridedTensor& view);

// Row-major bytes. `out` has byte_count(view) bytes.
void copy_elements(const StridedTensor& view, std::span<std::byte> out);

// "float32 [3, 4]"
std::string describe(const StridedTensor& view);
std::string shape_text(std::span<const std::int64_t> shape);  // "[3, 4]"

}  // namespace goldentrace
