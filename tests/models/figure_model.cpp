#include "tests/models/figure_model.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>

#include <memory>

namespace goldentrace {
namespace {

constexpr std::int64_t hidden = 64, positions = 16, padded_vocab = 1024;

// `scale` times ((j mod period) - middle), formed in double.
at::Tensor ramp(std::int64_t size, std::int64_t period, std::int64_t middle, double scale) {
  return at::arange(size, at::kLong).remainder(period).sub(middle).to(at::kDouble).mul(scale);
}

at::Tensor vector_for(const std::string& name, std::int64_t size) {
  if (name.find("norm") == std::string::npos) return ramp(size, 7, 3, 0.01);
  return name.ends_with(".weight") ? ramp(size, 5, 2, 0.01).add(1) : ramp(size, 3, 1, 0.01);
}

bool writes_to_residual(const std::string& name) {
  return name.ends_with(".dense.weight") || name.ends_with(".dense_4h_to_h.weight");
}

// Draws in the order of the parameters; the position table is drawn whether the model has one or not.
class FigureWeights {
 public:
  at::Tensor weight(const std::string& name, const at::Tensor& parameter) {
    if (parameter.dim() == 1) return vector_for(name, parameter.size(0));
    const at::Tensor drawn =
        at::empty(parameter.sizes(), at::kFloat).normal_(0, 1, generator_).mul(writes_to_residual(name) ? 0.01 : 0.02);
    if (name == "word_embeddings.weight")
      positions_ = at::empty({positions, hidden}, at::kFloat).normal_(0, 1, generator_).mul(0.02);
    return drawn;
  }
  at::Tensor position_table() const { return positions_; }

 private:
  at::Generator generator_ = at::detail::createCPUGenerator(42);
  at::Tensor positions_;
};

at::Tensor ids_from(std::int64_t first) {
  const at::Tensor row = at::arange(2, at::kLong).mul(37).unsqueeze(1);
  return row.add(at::arange(first, first + positions, at::kLong).mul(11).add(5)).remainder(1000);
}

}  // namespace

GptOptions figure_options() {
  GptOptions options;
  options.kind = GptKind::megatron;
  options.megatron = {.num_layers = 2, .hidden_size = hidden, .num_attention_heads = 2, .vocab_size = 1000};
  options.megatron.attention_dropout = options.megatron.hidden_dropout = 0;
  options.batches = {{.ids = ids_from(0), .labels = ids_from(1)}};
  return options;
}

std::function<void(const std::string&, const at::Tensor&)> set_figure_weights() {
  return [weights = std::make_shared<FigureWeights>()](const std::string& name, const at::Tensor& parameter) {
    const at::NoGradGuard no_gradients;
    if (name == "word_embeddings.weight") *weights = FigureWeights();
    if (name == "position_embeddings.weight")
      parameter.slice(0, 0, positions).copy_(weights->position_table());
    else
      parameter.copy_(weights->weight(name, parameter));
  };
}

}  // namespace goldentrace
