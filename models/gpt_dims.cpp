#include "models/gpt_dims.h"

#include <limits>

namespace goldentrace {

std::int64_t saturating_product(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? std::numeric_limits<std::int64_t>::max() : result;
}

std::int64_t saturating_sum(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  return __builtin_add_overflow(a, b, &result) ? std::numeric_limits<std::int64_t>::max() : result;
}

double parameter_count(const GptDims& dims) {
  const auto real = [](std::int64_t value) { return static_cast<double>(value); };
  const double h = real(dims.hidden), qkv = real(dims.query_key_value), mlp_in = real(dims.mlp_in);
  const double attention = qkv * h + qkv + real(dims.attention) * h + h;
  const double block = 2 * h + attention + 2 * h + h * mlp_in + mlp_in + real(dims.inner) * h + h;
  const double tables = (dims.tied_head ? 1 : 2) * real(dims.vocab) + real(dims.positions);
  return tables * h + real(dims.layers) * block + (dims.embedding_norm ? 4 : 2) * h;
}

}  // namespace goldentrace
