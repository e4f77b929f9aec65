// Tensors of made-up traces that are laid out in more than one way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "tests/diff/memory_trace.h"

namespace goldentrace::testing {

struct Values {
  Shape shape;
  std::vector<float> data;
};

inline Values permuted(const Values& from, const std::vector<std::size_t>& axes) {
  Values to;
  for (const std::size_t axis : axes) to.shape.push_back(from.shape[axis]);
  to.data.resize(from.data.size());
  std::vector<std::int64_t> place(axes.size(), 0);
  for (float& value : to.data) {
    std::int64_t flat = 0;
    std::vector<std::int64_t> source(axes.size());
    for (std::size_t i = 0; i < axes.size(); ++i) source[axes[i]] = place[i];
    for (std::size_t i = 0; i < axes.size(); ++i) flat = flat * from.shape[i] + source[i];
    value = from.data[static_cast<std::size_t>(flat)];
    for (std::size_t i = axes.size(); i-- > 0 && ++place[i] == to.shape[i];) place[i] = 0;
  }
  return to;
}
inline Values reshaped(Values values, Shape shape) {
  values.shape = std::move(shape);
  return values;
}
inline Values transposed(const Values& values) {
  std::vector<std::size_t> axes(values.shape.size());
  for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = i;
  std::swap(axes[0], axes[1]);
  return permuted(values, axes);
}
inline Tensor tensor(const Values& values) { return floats(values.data, values.shape); }

// Rows [from, to) of the first axis.
inline Values rows_of(const Values& values, std::int64_t from, std::int64_t to) {
  Values result = values;
  const std::size_t row = values.data.size() / static_cast<std::size_t>(values.shape[0]);
  result.shape[0] = to - from;
  result.data.assign(values.data.begin() + from * static_cast<std::int64_t>(row),
                     values.data.begin() + to * static_cast<std::int64_t>(row));
  return result;
}
inline Values joined(const std::vector<Values>& parts) {
  Values result = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    result.shape[0] += parts[i].shape[0];
    result.data.insert(result.data.end(), parts[i].data.begin(), parts[i].data.end());
  }
  return result;
}

}  // namespace goldentrace::testing
