#include "kernels/sketch.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace goldentrace {
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
