#include "tests/cases/models/tiny.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/tensor.h>

#include "checkpoints/safetensors.h"
#include "tests/cases/models/formula.h"

namespace goldentrace {
namespace {

constexpr std::int64_t layers = 2, hidden = 8, inner = 16, words = 11, positions = 5, batch = 2;

void add_norm(NamedTensors& list, Formula& formula, const std::string& name) {
  list.push_back({name + ".weight", formula.next({hidden})});
  list.push_back({name + ".bias", formula.next({hidden})});
}

// The formula's [out, in] becomes transformers' [in, out].
void add_projection(NamedTensors& list, Formula& formula, const std::string& name, std::int64_t out, std::int64_t in) {
  list.push_back({name + ".weight", formula.next({out, in}).t().contiguous()});
  list.push_back({name + ".bias", formula.next({out})});
}

void add_layer(NamedTensors& list, Formula& formula, const std::string& name) {
  add_norm(list, formula, name + ".ln_1");
  add_projection(list, formula, name + ".attn.c_attn", 3 * hidden, hidden);
  add_projection(list, formula, name + ".attn.c_proj", hidden, hidden);
  add_norm(list, formula, name + ".ln_2");
  add_projection(list, formula, name + ".mlp.c_fc", inner, hidden);
  add_projection(list, formula, name + ".mlp.c_proj", hidden, inner);
}

GptBatch tiny_batch() {
  std::vector<std::int64_t> ids, labels;
  for (std::int64_t i = 0; i < batch * positions; ++i) {
    ids.push_back((3 * i + 1) % words);
    labels.push_back((3 * (i + 1) + 1) % words);
  }
  return {at::tensor(ids).view({batch, positions}), at::tensor(labels).view({batch, positions}), {}};
}

}  // namespace

GptOptions tiny_options() {
  GptOptions options;
  options.config = {.vocab_size = words,
                    .n_positions = positions,
                    .n_embd = hidden,
                    .n_layer = layers,
                    .n_head = 2,
                    .n_inner = inner,
                    .embd_pdrop = 0,
                    .attn_pdrop = 0,
                    .resid_pdrop = 0,
                    .tie_word_embeddings = false};
  options.batches = {tiny_batch()};
  options.lr = 0.1;
  return options;
}

NamedTensors tiny_weights() {
  Formula formula;
  NamedTensors list;
  list.push_back({"transformer.wte.weight", formula.next({words, hidden})});
  list.push_back({"transformer.wpe.weight", formula.next({positions, hidden})});
  for (std::int64_t i = 0; i < layers; ++i) add_layer(list, formula, "transformer.h." + std::to_string(i));
  add_norm(list, formula, "transformer.ln_f");
  list.push_back({"lm_head.weight", formula.next({words, hidden})});
  return list;
}

void spread_tiny_gelu(NamedTensors& weights) {
  const std::string name = "transformer.h.0.mlp.c_fc";
  find_tensor(weights, name + ".weight").slice(1, 0, 2).zero_();
  const at::Tensor& bias = find_tensor(weights, name + ".bias");
  bias[0].fill_(-2.70);
  bias[1].fill_(2.27);
}

void write_tiny_checkpoint(const std::filesystem::path& path, const NamedTensors& weights) {
  std::vector<SafetensorsTensor> out;
  for (const NamedTensor& entry : weights)
    out.push_back({entry.name,
                   DType::float32,
                   entry.tensor.sizes().vec(),
                   {static_cast<const std::byte*>(entry.tensor.const_data_ptr()), entry.tensor.nbytes()}});
  write_safetensors(path, out);
}

std::function<void(const std::string&, const at::Tensor&)> set_weights(NamedTensors weights) {
  return [weights = std::move(weights)](const std::string& name, const at::Tensor& parameter) {
    const at::NoGradGuard no_gradients;
    parameter.copy_(find_tensor(weights, name));
  };
}

}  // namespace goldentrace
