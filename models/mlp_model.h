// The four layers of the linear-model trainer.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "models/checkpoint_layer.h"
#include "models/events.h"
#include "models/linear_init.h"
#include "models/mlp_sharding.h"
#include "models/named_tensor.h"

namespace goldentrace {

inline constexpr std::int64_t mlp_classes = 3;

class MlpModel {
 public:
  // Draws layer 0, 2, 3 in this order, weight before bias; parameters require gradients. `input_dim` = D >= 2.
  MlpModel(std::int64_t input_dim, at::ScalarType dtype, const MlpSharding& sharding = {});

  // [B, D] -> [B, 3]. Checkpointed, layers 1, 2 and 3 are so one by one; model and events must live until backward
  // then.
  at::Tensor forward(const at::Tensor& x, const Events& events, Checkpointing checkpointing = Checkpointing::off) const;
  NamedTensors parameters() const;  // layers.{0,2,3}.{weight,bias}

 private:
  std::vector<LayerBody> layers(const Events& events) const;

  MlpSharding sharding_;
  Affine layer0_;  // [D/2, D], [D/2]
  Affine layer2_;  // [3, D/2], [3]
  Affine layer3_;  // [3, 3], [3]
};

}  // namespace goldentrace
