// What decides how many weights a GPT has and how they lie, whatever its shape.
#pragma once

#include <cstdint>

namespace goldentrace {

enum class LinearLayout {
  out_first,  // [out, in], as torch's Linear
  in_first,   // [in, out], as GPT-2's Conv1D
};

struct GptDims {
  std::int64_t vocab = 0;      // rows of the embedding
  std::int64_t positions = 0;  // rows of the position table, 0: no table
  std::int64_t hidden = 0, layers = 0, heads = 0;
  std::int64_t attention = 0;        // width of all heads together
  std::int64_t query_key_value = 0;  // outputs of the projection
  std::int64_t inner = 0;            // inputs of the MLP's second linear
  std::int64_t mlp_in = 0;           // outputs of its first: inner, or twice that when gated
  bool embedding_norm = false;
  bool tied_head = true;
  LinearLayout layout = LinearLayout::out_first;
};

// Product and sum that stop at the largest integer: hostile sizes must not overflow.
std::int64_t saturating_product(std::int64_t a, std::int64_t b);
std::int64_t saturating_sum(std::int64_t a, std::int64_t b);

// Elements of all parameters, a tied head counted once; as a double, because hostile sizes overflow integers.
double parameter_count(const GptDims& dims);

}  // namespace goldentrace
