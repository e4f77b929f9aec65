// Range checks of option values; messages name the option as the command line spells it.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

namespace goldentrace {

void require(bool condition, const std::string& message);  // Error(usage, message) unless the condition holds
void require_positive(const std::string& option, std::int64_t value);
void require_finite(const std::string& option, double value);
void require_not_negative(const std::string& option, double value);  // and finite
void require_probability(const std::string& option, double value);   // in [0, 1)
// "n_head 3 does not divide n_embd 8; choose sizes that divide"
void require_divides(const std::string& part, std::int64_t by, const std::string& whole, std::int64_t value);
void require_thread_number(int threads);       // 0 … 1024
void require_trainable(at::ScalarType dtype);  // float32, bfloat16, float16, float64

}  // namespace goldentrace
