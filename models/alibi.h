// ALiBi: a slope for each head times the key's position, added to the scores. n heads, b batch, s keys.
//
// Press, Smith and Lewis, "Train short, test long"; the position stands for the distance, which differs from it by a
// constant for each query that the softmax does not see.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace goldentrace {

enum class SlopePrecision {
  float64,  // powers in double, rounded once: Megatron
  float32,  // powers in float32: transformers' BLOOM
};

// [n] float32: 2^(-8 (i+1) / n) for a power of two; otherwise the slopes of the largest power of two below n, then
// every second slope of twice that number.
at::Tensor alibi_slopes(std::int64_t heads, SlopePrecision precision);

// [b·n, 1, s] in `dtype`: slope times position 0 … s-1, computed in float32.
at::Tensor megatron_alibi(std::int64_t heads, std::int64_t batch, std::int64_t keys, at::ScalarType dtype);

// [b·n, 1, s] in `dtype`: padding (mask 0) does not count as a position. mask int64 [b, s].
at::Tensor bloom_alibi(std::int64_t heads, const at::Tensor& mask, at::ScalarType dtype);

}  // namespace goldentrace
