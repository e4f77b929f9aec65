#include "models/option_check.h"

#include <cmath>

#include "traces/error.h"

namespace goldentrace {

void require(bool condition, const std::string& message) {
  if (!condition) throw Error(ErrorCode::usage, message);
}

void require_positive(const std::string& option, std::int64_t value) {
  require(value >= 1, option + " must be at least 1, not " + std::to_string(value));
}

void require_finite(const std::string& option, double value) {
  require(std::isfinite(value), option + " must be a finite number");
}

void require_not_negative(const std::string& option, double value) {
  require(value >= 0, option + " must not be negative");
  require_finite(option, value);
}

void require_probability(const std::string& option, double value) {
  require(value >= 0 && value < 1, option + " must be in [0, 1)");
}

void require_divides(const std::string& part, std::int64_t by, const std::string& whole, std::int64_t value) {
  require(value % by == 0, part + " " + std::to_string(by) + " does not divide " + whole + " " + std::to_string(value) +
                               "; choose sizes that divide");
}

void require_thread_number(int threads) {
  require(threads >= 0 && threads <= 1024, "threads must be in 0 … 1024, not " + std::to_string(threads));
}

void require_trainable(at::ScalarType dtype) {
  require(dtype == at::kFloat || dtype == at::kBFloat16 || dtype == at::kHalf || dtype == at::kDouble,
          std::string("a model cannot train in ") + c10::toString(dtype) +
              "; choose float32, bfloat16, float16 or float64");
}

}  // namespace goldentrace
