#include "models/mlp_model.h"

#include <ATen/ops/relu.h>

#include "models/layer.h"

namespace goldentrace {
// One statement per layer: the order of evaluation of arguments is free, and with it the order of draws would be.
MlpModel::MlpModel(std::int64_t input_dim, at::ScalarType dtype, const MlpSharding& sharding) : sharding_(sharding) {
  layer0_ = trainable(draw_linear(input_dim, input_dim / 2), dtype);
  layer2_ = trainable(draw_linear(input_dim / 2, mlp_classes), dtype);
  layer3_ = trainable(draw_linear(mlp_classes, mlp_classes), dtype);
}

std::vector<LayerBody> MlpModel::layers(const Events& events) const {
  const auto linear = [&](const char* label, const auto& product, const Affine& affine) {
    return [this, &events, label, product, &affine](const at::Tensor& x) {
      return layer(events, label, [&] { return product(sharding_, x, affine); });
    };
  };
  const auto relu = [&events](const at::Tensor& x) { return layer(events, "layers.1", [&] { return at::relu(x); }); };
  return {linear("layers.0", column_parallel_linear, layer0_), relu, linear("layers.2", row_parallel_linear, layer2_),
          linear("layers.3", replicated_linear, layer3_)};
}

at::Tensor MlpModel::forward(const at::Tensor& x, const Events& events, Checkpointing checkpointing) const {
  const std::vector<LayerBody> all = layers(events);
  at::Tensor h = all[0](x);
  for (std::size_t i = 1; i < all.size(); ++i)
    h = checkpointing == Checkpointing::on ? checkpoint_layer(h, all[i]) : all[i](h);
  return h;
}

NamedTensors MlpModel::parameters() const {
  return {{"layers.0.weight", layer0_.weight}, {"layers.0.bias", layer0_.bias},     {"layers.2.weight", layer2_.weight},
          {"layers.2.bias", layer2_.bias},     {"layers.3.weight", layer3_.weight}, {"layers.3.bias", layer3_.bias}};
}

}  // namespace goldentrace
