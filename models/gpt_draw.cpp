#include "models/gpt_draw.h"

#include <ATen/ops/empty.h>

#include <cmath>

namespace goldentrace {
namespace {

constexpr double construction_std = 0.02;  // Conv1D's own, whatever initializer_range says

void draw_construction(GptParameters& p) {
  p.words.normal_();
  p.positions.normal_();
  for (GptBlock& block : p.blocks)
    for (Affine* conv1d : {&block.query_key_value, &block.attention_out, &block.mlp_in, &block.mlp_out})
      conv1d->weight.normal_(0, construction_std);
}

// Both projections that write to the residual stream are drawn twice, the second time narrower.
void draw_block(GptBlock& block, double std, double residual_std) {
  block.query_key_value.weight.normal_(0, std);
  block.attention_out.weight.normal_(0, std);
  block.attention_out.weight.normal_(0, residual_std);
  block.mlp_in.weight.normal_(0, std);
  block.mlp_out.weight.normal_(0, std);
  block.mlp_out.weight.normal_(0, residual_std);
}

double residual_std(double std, std::int64_t layers) { return std / std::sqrt(2.0 * static_cast<double>(layers)); }

// Glorot and Bengio: U(-a, a), a = sqrt(6 / (fan in + fan out)).
void draw_xavier(at::Tensor& weight) {
  const double bound = std::sqrt(6.0 / static_cast<double>(weight.size(0) + weight.size(1)));
  weight.uniform_(-bound, bound);
}

class MegatronDraw {
 public:
  explicit MegatronDraw(const MegatronConfig& config)
      : xavier_(config.init_method_xavier_uniform),
        std_(config.init_method_std),
        residual_std_(residual_std(config.init_method_std, config.num_layers)) {}

  void wide(at::Tensor& weight) const { draw(weight, std_); }
  void narrow(at::Tensor& weight) const { draw(weight, residual_std_); }

 private:
  void draw(at::Tensor& weight, double std) const {
    if (xavier_)
      draw_xavier(weight);
    else
      weight.normal_(0, std);
  }

  bool xavier_;
  double std_, residual_std_;
};

}  // namespace

void draw_parameters(GptParameters& p, const GptConfig& c) {
  draw_construction(p);
  p.words.normal_(0, c.initializer_range);
  p.positions.normal_(0, c.initializer_range);
  for (GptBlock& block : p.blocks) draw_block(block, c.initializer_range, residual_std(c.initializer_range, c.n_layer));
  at::Tensor head = c.tie_word_embeddings ? at::empty({c.vocab_size, c.n_embd}, at::kFloat) : p.head;
  head.uniform_(-1, 1);
  head.normal_(0, c.initializer_range);
}

void draw_parameters(GptParameters& p, const MegatronConfig& c) {
  const MegatronDraw draw(c);
  draw.wide(p.words);
  if (p.positions.defined()) draw.wide(p.positions);
  for (GptBlock& block : p.blocks) {
    draw.wide(block.query_key_value.weight);
    draw.narrow(block.attention_out.weight);
    draw.wide(block.mlp_in.weight);
    draw.narrow(block.mlp_out.weight);
  }
  if (!p.head.is_same(p.words)) draw.wide(p.head);
}

void draw_parameters(GptParameters& p, const BloomConfig& c) {
  p.words.normal_(0, c.initializer_range);
  for (GptBlock& block : p.blocks)
    for (Affine* linear : {&block.query_key_value, &block.attention_out, &block.mlp_in, &block.mlp_out})
      linear->weight.normal_(0, c.initializer_range);
  if (!p.head.is_same(p.words)) p.head.normal_(0, c.initializer_range);
}

}  // namespace goldentrace
