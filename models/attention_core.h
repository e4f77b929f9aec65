// What attention is made of in every shape. b batch, n heads, s sequence, d head size.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "models/gpt_config.h"
#include "models/half_mode.h"

namespace goldentrace {

// alpha q k + beta bias as one baddbmm: [b·n, s, d], [b·n, d, s] -> [b·n, s, s]. Without a bias beta is 0 and zeros
// stand where other programs pass uninitialised memory: no bit of the result depends on them, and a tape can hold them.
at::Tensor scaled_scores(HalfMode mode, const at::Tensor& query, const at::Tensor& key, double alpha,
                         const at::Tensor& bias = {}, double beta = 0);

// Which keys (last dimension) a query sees: bool [s, s].
at::Tensor visible(MaskRule rule, std::int64_t seq_len);

// bool [1 or b, 1, s, s]: `visible` and no padding. `padding` int64 [b, s], 0 = padding; undefined: none.
at::Tensor visible_tokens(MaskRule rule, const at::Tensor& padding, std::int64_t seq_len);

double lowest(at::ScalarType dtype);  // the lowest finite value

at::Tensor softmax(HalfMode mode, const at::Tensor& scores);  // over keys
at::Tensor matmul(HalfMode mode, const at::Tensor& a, const at::Tensor& b);

// (x + bias), dropout, + residual. `bias` may be undefined.
struct ResidualSum {
  double dropout = 0;
  bool one_rounding = false;  // computed in float32, rounded to the type of the residual
};
at::Tensor add_to_residual(const ResidualSum& how, const at::Tensor& x, const at::Tensor& bias,
                           const at::Tensor& residual);

}  // namespace goldentrace
