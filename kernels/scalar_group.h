// The lanes and the sketch of at most one group, element by element: the rest of a piece behind its whole groups, and
// float64 that must be scaled.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "kernels/element.h"
#include "kernels/sketch_hash.h"
#include "kernels/vector_code.h"

namespace goldentrace {

// As VectorCode::add_groups, for span.groups = 1 of which only `count` elements are there.
template <typename Element>
void add_scalar_group(const GroupSpan& span, std::size_t count, Scaling scaling, LaneSums& lanes, double* sketch,
                      std::size_t m) {
  double sum[group_lanes] = {}, squares[group_lanes] = {};
  for (std::size_t i = 0; i < count; ++i) {
    const double value = value_at<Element>(span.bytes, i);
    if (!std::isfinite(value)) {
      ++(std::isnan(value) ? lanes.rest.nan : lanes.rest.infinite);
      continue;
    }
    add(lanes.rest, {.min = value, .max = value, .finite = 1, .zero = value == 0});
    const double scaled = scaling(value);
    sum[i % group_lanes] += scaled;
    squares[i % group_lanes] += scaled * scaled;
    if (m > 0) sketch[sketch_bucket(span.first + i, m)] += sketch_sign(span.first + i) * value;
  }
  for (std::size_t k = 0; k < group_lanes; ++k) lanes.sum[k] += sum[k], lanes.squares[k] += squares[k];
}

}  // namespace goldentrace
