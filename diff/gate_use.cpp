#include "diff/gate_use.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "traces/record.h"

namespace goldentrace {

double part_of(double measured, double limit) {
  if (measured == 0) return 0;
  return limit == 0 ? std::numeric_limits<double>::infinity() : measured / limit;
}

double elementwise_use(const TensorView& a, const TensorView& b, const Limits& limit) {
  const std::int64_t count = element_count(Shape(a.shape.begin(), a.shape.end()));
  double largest = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const double x = element_as_double(a, i);
    const double y = element_as_double(b, i);
    if (!std::isfinite(x) || !std::isfinite(y)) continue;
    largest = std::max(largest, part_of(std::abs(x - y), limit.atol + limit.rtol * std::abs(x)));
  }
  return largest;
}

}  // namespace goldentrace
