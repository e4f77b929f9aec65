#include "kernels/sketch.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "kernels/clones.h"

namespace goldentrace {
namespace {

GOLDENTRACE_INLINE void add(double* sums, const double* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) sums[i] += values[i];
}

}  // namespace

GOLDENTRACE_CLONES
void add_signed_to_sketch(double* sums, std::uint64_t m, std::uint64_t first, const double* values, std::size_t count) {
  while (count > 0) {
    const std::uint64_t offset = first % m;
    const std::size_t run = std::min<std::uint64_t>(count, m - offset);
    const std::uint64_t bucket = (offset + sketch_rotation(first / m, m)) % m;
    const std::size_t before_wrap = std::min<std::uint64_t>(run, m - bucket);
    add(sums + bucket, values, before_wrap);
    add(sums, values + before_wrap, run - before_wrap);
    first += run;
    values += run;
    count -= run;
  }
}

double sketch_distance(const Sketch& a, const Sketch& b) {
  if (a.size() != b.size()) throw std::logic_error("sketches of different sizes");
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(a[i] - b[i]);
    if (std::isfinite(difference)) largest = std::max(largest, difference);
  }
  if (largest == 0) return 0;
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = (a[i] - b[i]) / largest;
    if (std::isfinite(difference)) sum += difference * difference;
  }
  return largest * std::sqrt(sum);
}

}  // namespace goldentrace
