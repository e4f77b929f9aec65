#include "models/mlp_model.h"

#include <ATen/ops/linear.h>
#include <ATen/ops/relu.h>

#include "models/layer.h"

namespace goldentrace {
// One statement per layer: the order of evaluation of arguments is free, and with it the order of draws would be.
MlpModel::MlpModel(std::int64_t input_dim, at::ScalarType dtype) {
  layer0_ = trainable(draw_linear(input_dim, input_dim / 2), dtype);
  layer2_ = trainable(draw_linear(input_dim / 2, mlp_classes), dtype);
  layer3_ = trainable(draw_linear(mlp_classes, mlp_classes), dtype);
}

at::Tensor MlpModel::forward(at::Tensor x, const Events& events) const {
  x = layer(events, "layers.0", [&] { return at::linear(x, layer0_.weight, layer0_.bias); });
  x = layer(events, "layers.1", [&] { return at::relu(x); });
  x = layer(events, "layers.2", [&] { return at::linear(x, layer2_.weight, layer2_.bias); });
  return layer(events, "layers.3", [&] { return at::linear(x, layer3_.weight, layer3_.bias); });
}

NamedTensors MlpModel::parameters() const {
  return {{"layers.0.weight", layer0_.weight}, {"layers.0.bias", layer0_.bias},     {"layers.2.weight", layer2_.weight},
          {"layers.2.bias", layer2_.bias},     {"layers.3.weight", layer3_.weight}, {"layers.3.bias", layer3_.bias}};
}

}  // namespace goldentrace
