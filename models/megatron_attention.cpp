#include "models/megatron_attention.h"

#include <ATen/ops/dropout.h>

#include <cmath>

#include "models/alibi.h"
#include "models/attention_core.h"
#include "models/layer.h"
#include "models/megatron_softmax.h"
#include "models/rotary.h"

namespace goldentrace {
namespace {

struct Parts {
  at::Tensor query, key, value;  // [s, b, groups, heads of a group, d], [s, b, groups, 1, d]
};

// Each group of heads lies together: its queries, its key, its value.
Parts split(const at::Tensor& mixed, const MegatronConfig& config) {
  const std::int64_t groups = config.groups(), d = config.head_dim(), queries = config.num_attention_heads / groups;
  const auto parts =
      mixed.view({mixed.size(0), mixed.size(1), groups, queries + 2, d}).split_with_sizes({queries, 1, 1}, 3);
  return {parts[0], parts[1], parts[2]};
}

// [s, b·n, d]; the key or value of a group once for each of its queries.
at::Tensor heads_of(const at::Tensor& part, const MegatronConfig& config) {
  const std::int64_t s = part.size(0), b = part.size(1), groups = part.size(2), d = part.size(4);
  const std::int64_t queries = config.num_attention_heads / groups;
  return part.expand({s, b, groups, queries, d}).reshape({s, b * config.num_attention_heads, d});
}

at::Tensor turned(const at::Tensor& x, const MegatronConfig& config) {
  return config.position_embedding_type == PositionKind::rotary ? rotated(x, config.rotary_inv_freq) : x;
}

// [b·n, 1, s]: slopes follow from the number of all heads, of which a rank has some.
at::Tensor alibi_of(const MegatronPass& pass, std::int64_t b, std::int64_t s, at::ScalarType dtype) {
  const std::int64_t n = pass.config.num_attention_heads;
  if (pass.ranks == nullptr) return megatron_alibi(n, b, s, dtype);
  const std::int64_t all = n * pass.ranks->size();
  const at::Tensor by_head = megatron_alibi(all, b, s, dtype).view({b, all, 1, s});
  return by_head.narrow(1, n * pass.ranks->index(), n).reshape({b * n, 1, s});
}

// query and key [s, b·n, d] -> [b, n, s, s], divided by the coefficient that the softmax multiplies with.
at::Tensor scores_of(const MegatronPass& pass, const at::Tensor& query, const at::Tensor& key, double coefficient) {
  const MegatronConfig& config = pass.config;
  const std::int64_t s = query.size(0), n = config.num_attention_heads, b = query.size(1) / n;
  const bool alibi = config.position_embedding_type == PositionKind::alibi && config.alibi_rule != AlibiRule::missing;
  at::Tensor bias;
  if (alibi) bias = alibi_of(pass, b, s, query.scalar_type());
  const double beta = !alibi ? 0 : config.alibi_rule == AlibiRule::scaled ? 1 : 1 / coefficient;
  const double alpha = 1 / (std::sqrt(static_cast<double>(config.head_dim())) * coefficient);
  const at::Tensor rows = query.transpose(0, 1), columns = key.transpose(0, 1).transpose(1, 2);
  return scaled_scores(config.half_mode, rows, columns, alpha, bias, beta).view({b, n, s, s});
}

at::Tensor probabilities(const MegatronPass& pass, const at::Tensor& scores, double coefficient) {
  const std::int64_t b = scores.size(0), s = scores.size(2);
  const bool given = pass.inputs.masked.defined() || pass.padding.defined();
  const SoftmaxPath path = softmax_path(pass.config, scores.scalar_type(), b, s, given);
  const at::Tensor masked = pass.inputs.masked.defined()
                                ? pass.inputs.masked
                                : visible_tokens(MaskRule::causal, pass.padding, s).logical_not();
  return megatron_softmax(pass.config, path, scores, masked, coefficient);
}

// probs [b, n, s, s], value [s, b·n, d] -> [s, b, n·d]
at::Tensor context_of(HalfMode mode, const at::Tensor& probs, const at::Tensor& value) {
  const std::int64_t b = probs.size(0), n = probs.size(1), s = probs.size(2), d = value.size(2);
  const at::Tensor product = matmul(mode, probs.view({b * n, s, s}), value.transpose(0, 1));
  return product.view({b, n, s, d}).permute({2, 0, 1, 3}).contiguous().view({s, b, n * d});
}

}  // namespace

at::Tensor column_input(const MegatronPass& pass, const std::string& label, const at::Tensor& x) {
  return pass.ranks == nullptr ? x : pass.ranks->copied(pass.events, label, x);
}

at::Tensor row_parallel(const MegatronPass& pass, const std::string& label, const at::Tensor& x, const Affine& affine) {
  const MegatronConfig& config = pass.config;
  if (pass.ranks) return pass.ranks->reduced(pass.events, label, linear(config.linears(), x, affine.weight, {}));
  if (config.tensor_model_parallel_size == 1) return linear(config.linears(), x, affine.weight, {});
  return sliced_linear(config.linears(), x, affine.weight, config.tensor_model_parallel_size, {});
}

at::Tensor megatron_attention(const MegatronPass& pass, const GptBlock& block, std::int64_t layer_index,
                              const std::string& name, const at::Tensor& x) {
  const MegatronConfig& config = pass.config;
  const HalfMode mode = config.half_mode;
  const double coefficient = config.layer_coefficient(layer_index);
  const auto in = [&](const char* part, auto&& body) { return layer(pass.events, name + part, body); };
  const at::Tensor input = column_input(pass, name + ".query_key_value", x);
  const at::Tensor mixed = in(".query_key_value", [&] {
    return linear(config.linears(), input, block.query_key_value.weight, block.query_key_value.bias);
  });
  const Parts parts = split(mixed, config);
  const at::Tensor query = in(".query", [&] { return turned(heads_of(parts.query, config), config); });
  const at::Tensor key = in(".key", [&] { return turned(heads_of(parts.key, config), config); });
  const at::Tensor value = in(".value", [&] { return heads_of(parts.value, config); });
  const at::Tensor scores = in(".scores", [&] { return scores_of(pass, query, key, coefficient); });
  at::Tensor probs = in(".probs", [&] { return probabilities(pass, scores, coefficient); });
  const auto drop = [&] {
    return in(".attention_dropout", [&] { return at::dropout(probs, config.attention_dropout, true); });
  };
  probs = pass.ranks ? pass.ranks->in_own_stream(drop) : drop();
  const at::Tensor context = in(".context", [&] { return context_of(mode, probs, value); });
  return in(".dense", [&] { return row_parallel(pass, name + ".dense", context, block.attention_out); });
}

}  // namespace goldentrace
