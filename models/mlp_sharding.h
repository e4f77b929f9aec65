// How the tensors of the linear-model trainer are spread over the devices of a mesh [devices, 1]: its axis x. The
// devices are played one after another in this process, so that the sums are those of the devices in order.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "models/linear_init.h"

namespace goldentrace {

inline constexpr std::int64_t most_devices = 1024;

// Several may hold at once. Dimensions that the devices do not divide leave the last ones with less, or with nothing.
struct MlpSharding {
  std::int64_t devices = 1;
  bool batch = false;  // rows of the input, over x; labels are replicated
  bool fsdp = false;   // as batch; the weights of layers 0 and 2 along dim 0, gathered where they are used
  bool megatron_lm =
      false;  // the weight of layer 0 along dim 0, that of layer 2 along dim 1: partial products are summed
};

// "batch", "megatron-lm" or "fsdp"; Error(usage) for any other name.
void add_sharding(MlpSharding& sharding, std::string_view name);
std::string sharding_names(const MlpSharding& sharding);  // "batch,fsdp"; empty: none

// x [B, in] -> [B, out] as the devices compute it together.
at::Tensor column_parallel_linear(const MlpSharding& sharding, const at::Tensor& x, const Affine& affine);  // layer 0
at::Tensor row_parallel_linear(const MlpSharding& sharding, const at::Tensor& x, const Affine& affine);     // layer 2
at::Tensor replicated_linear(const MlpSharding& sharding, const at::Tensor& x, const Affine& affine);       // layer 3

}  // namespace goldentrace
