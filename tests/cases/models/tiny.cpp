#include "tests/cases/models/tiny.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/tensor.h>

#include "checkpoints/hf_names.h"
#include "checkpoints/safetensors.h"
#include "tests/cases/models/formula.h"

namespace goldentrace {
namespace {

constexpr std::int64_t hidden = 8, inner = 16, words = 11, positions = 5, batch = 2, heads = 2;

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

void spread(const at::Tensor& rows, const at::Tensor& bias) {
  rows.slice(0, 0, 2).zero_();
  bias[0].fill_(-2.70);
  bias[1].fill_(2.27);
}

}  // namespace

GptOptions tiny_options() {
  GptOptions options;
  options.config = {.vocab_size = words,
                    .n_positions = positions,
                    .n_embd = hidden,
                    .n_layer = 2,
                    .n_head = heads,
                    .n_inner = inner,
                    .embd_pdrop = 0,
                    .attn_pdrop = 0,
                    .resid_pdrop = 0,
                    .tie_word_embeddings = false};
  options.batches = {tiny_batch()};
  options.lr = 0.1;
  return options;
}

GptOptions tiny_megatron_options() {
  GptOptions options = tiny_options();
  options.kind = GptKind::megatron;
  options.megatron = {.num_layers = 2,
                      .hidden_size = hidden,
                      .num_attention_heads = heads,
                      .ffn_hidden_size = inner,
                      .vocab_size = words,
                      .pad_vocab_size_to = words,
                      .max_position_embeddings = positions,
                      .untie_embeddings_and_output_weights = true,
                      .apply_query_key_layer_scaling = false,
                      .attention_dropout = 0,
                      .hidden_dropout = 0};
  return options;
}

NamedTensors tiny_weights(std::int64_t layers) {
  Formula formula;
  NamedTensors list;
  list.push_back({"transformer.wte.weight", formula.next({words, hidden})});
  list.push_back({"transformer.wpe.weight", formula.next({positions, hidden})});
  for (std::int64_t i = 0; i < layers; ++i) add_layer(list, formula, "transformer.h." + std::to_string(i));
  add_norm(list, formula, "transformer.ln_f");
  list.push_back({"lm_head.weight", formula.next({words, hidden})});
  return list;
}

at::Tensor heads_from_thirds(const at::Tensor& thirds, std::int64_t heads) {
  const std::int64_t size = thirds.size(0) / 3 / heads;
  return thirds.reshape({3, heads, size, -1}).transpose(0, 1).reshape(thirds.sizes());
}

NamedTensors tiny_megatron_weights(std::int64_t layers) {
  NamedTensors list;
  for (const NamedTensor& entry : tiny_weights(layers)) {
    const std::string key = *canonical_key(HfModel::gpt2, entry.name);
    at::Tensor tensor = entry.tensor;
    if (key.starts_with("layers.") && tensor.dim() == 2) tensor = tensor.t().contiguous();
    if (key.find("query_key_value") != std::string::npos) tensor = heads_from_thirds(tensor, heads);
    list.push_back({key, tensor});
  }
  return list;
}

void spread_tiny_gelu(NamedTensors& weights) {
  const std::string name = "transformer.h.0.mlp.c_fc";
  spread(find_tensor(weights, name + ".weight").t(), find_tensor(weights, name + ".bias"));
}

void spread_tiny_gelu_of_megatron(NamedTensors& weights) {
  const std::string name = "layers.0.mlp.dense_h_to_4h";
  spread(find_tensor(weights, name + ".weight"), find_tensor(weights, name + ".bias"));
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

std::function<void(const std::string&, const at::Tensor&)> set_by_formula(
    std::function<at::Tensor(const std::string&, at::Tensor)> arranged) {
  return [formula = Formula(), arranged = std::move(arranged)](const std::string& name,
                                                               const at::Tensor& parameter) mutable {
    const at::NoGradGuard no_gradients;
    parameter.copy_(arranged(name, formula.next(parameter.sizes())));
  };
}

}  // namespace goldentrace
