#include <algorithm>

#include "models/gpt.h"
#include "models/gpt_data.h"
#include "models/gpt_shards.h"
#include "models/megatron_inputs.h"
#include "models/megatron_softmax.h"
#include "models/memory_limit.h"
#include "models/option_check.h"

namespace goldentrace {
namespace {

// Floating elements that one layer keeps for its backward pass, per position and hidden element: both norms, qkv,
// context, projection, residuals; per inner element: pre-activation and the parts of the op-by-op GELU; per score:
// product, scaled, masked, probabilities, dropout.
constexpr double kept_hidden = 12, kept_inner = 9, kept_scores = 6;
constexpr double kept_logits = 3;  // logits, log-softmax, gradient

double activation_count(const GptDims& d, double batch, double seq) {
  const double layer = kept_hidden * static_cast<double>(d.hidden) + kept_inner * static_cast<double>(d.mlp_in) +
                       kept_scores * static_cast<double>(d.heads) * seq;
  return batch * seq * (static_cast<double>(d.layers) * layer + kept_logits * static_cast<double>(d.vocab));
}

double bytes_needed(const GptOptions& o, double batch, double seq) {
  const GptDims dims = dims_of(o);
  const double item = static_cast<double>(c10::elementSize(o.dtype));
  const double copies = o.optimizer == OptimizerKind::adamw ? 4 : 2;  // weights, gradients, two moments
  const double drawn = o.batches.empty() ? 8 * batch * seq * static_cast<double>(o.steps) : 0;
  const double initial = sizeof(float) * parameter_count(dims);  // weights are drawn in float32
  return item * (copies * parameter_count(dims) + activation_count(dims, batch, seq)) + drawn + initial;
}

// What the position table of each shape is called.
const char* positions_option(GptKind kind) {
  return kind == GptKind::megatron ? "max_position_embeddings" : "n_positions";
}

DataLimits data_limits(const GptOptions& o) {
  return {.tokens = token_count(o), .positions = dims_of(o).positions, .positions_option = positions_option(o.kind)};
}

void check_prefixes(const GptOptions& o, const GptBatch& batch) {
  if (o.kind == GptKind::megatron) return check_prefixes(o.megatron, batch);
  require(!batch.prefixes.defined(), "only the megatron shape has prefixes, not " + std::string(name(o.kind)));
}

void require_equal_parts(const GptOptions& o, std::int64_t rows) {
  require_divides("the number of data-parallel ranks", data_degree(o), "batch_size", rows);
}

void check_drawn(const GptOptions& o) {
  require_positive("batch_size", o.batch_size);
  require_equal_parts(o, o.batch_size);
  require(o.seq_len >= 2, "seq_len must be at least 2, not " + std::to_string(o.seq_len));
  const std::int64_t positions = dims_of(o).positions;
  require(positions == 0 || o.seq_len <= positions, "seq_len " + std::to_string(o.seq_len) + " is longer than " +
                                                        positions_option(o.kind) + " " + std::to_string(positions));
  if (o.kind == GptKind::megatron)
    require(!o.megatron.has_prefixes(), "prefix-LM needs the prefix lengths of each row: give prefixes");
  check_memory(bytes_needed(o, static_cast<double>(o.batch_size), static_cast<double>(o.seq_len)), "this GPT");
}

// Each part has a loss of its own.
void check_parts(const GptOptions& o, const GptBatch& batch) {
  require_equal_parts(o, batch.ids.size(0));
  for (std::int64_t part = 0; part < data_degree(o); ++part)
    check(rows_of(batch, part, data_degree(o)), data_limits(o));
}

void check_given(const GptOptions& o) {
  double batch = 0, seq = 0;
  for (const GptBatch& given : o.batches) {
    check(given, data_limits(o));
    check_prefixes(o, given);
    if (data_degree(o) > 1) check_parts(o, given);
    batch = std::max(batch, static_cast<double>(given.ids.size(0)));
    seq = std::max(seq, static_cast<double>(given.ids.size(1)));
  }
  check_memory(bytes_needed(o, batch, seq), "this GPT");
}

void check_config(const GptOptions& o) {
  switch (o.kind) {
    case GptKind::hf:
      return check(o.config);
    case GptKind::megatron:
      return check(o.megatron);
    case GptKind::bloom:
      return check(o.bloom);
  }
}

void check_processes(const GptOptions& o) {
  require_positive("the number of ranks", o.processes);
  require_divides("tensor_model_parallel_size", tensor_degree(o), "the number of ranks", o.processes);
  if (o.kind == GptKind::megatron) check_shards(o.megatron, tensor_degree(o));
  require(
      o.ranks == nullptr || (o.ranks->tensor().size() == tensor_degree(o) && o.ranks->data().size() == data_degree(o)),
      "the ranks are not those of the options");
}

void check_dtype(const GptOptions& o) {
  require_trainable(o.dtype);
  if (o.kind != GptKind::megatron) return;
  require(!o.megatron.fp32_residual_connection || is_half(o.dtype),
          "fp32_residual_connection needs a model in float16 or bfloat16");
  require(!o.megatron.fp16_lm_cross_entropy || o.dtype == at::kHalf, "fp16_lm_cross_entropy needs a model in float16");
}

}  // namespace

void set_option(GptOptions& options, std::string_view option, std::string_view value) {
  switch (options.kind) {
    case GptKind::hf:
      return set_option(options.config, option, value);
    case GptKind::megatron:
      return set_option(options.megatron, option, value);
    case GptKind::bloom:
      return set_option(options.bloom, option, value);
  }
}

std::vector<std::string> option_names(GptKind kind) {
  switch (kind) {
    case GptKind::hf:
      return gpt_option_names();
    case GptKind::megatron:
      return megatron_option_names();
    case GptKind::bloom:
      break;
  }
  return bloom_option_names();
}

std::map<std::string, std::string> describe(const GptOptions& options) {
  switch (options.kind) {
    case GptKind::hf:
      return describe(options.config);
    case GptKind::megatron:
      return describe(options.megatron);
    case GptKind::bloom:
      break;
  }
  return describe(options.bloom);
}

GptDims dims_of(const GptOptions& options) {
  switch (options.kind) {
    case GptKind::hf:
      return dims_of(options.config);
    case GptKind::megatron:
      return dims_of(options.megatron);
    case GptKind::bloom:
      break;
  }
  return dims_of(options.bloom);
}

std::int64_t token_count(const GptOptions& o) {
  switch (o.kind) {
    case GptKind::hf:
      return o.config.vocab_size;
    case GptKind::megatron:
      return o.megatron.vocab_size;
    case GptKind::bloom:
      break;
  }
  return o.bloom.vocab_size;
}

std::int64_t tensor_degree(const GptOptions& o) {
  return o.processes > 1 && o.kind == GptKind::megatron ? o.megatron.tensor_model_parallel_size : 1;
}

std::int64_t data_degree(const GptOptions& o) { return o.processes / tensor_degree(o); }

std::int64_t head_count(const GptOptions& options) { return dims_of(options).heads; }

std::map<std::string, std::string> modelled_paths(const GptOptions& o) {
  if (o.kind != GptKind::megatron) return {};
  const bool given = !o.batches.empty();
  const auto size = [&](std::int64_t dim, std::int64_t drawn) { return given ? o.batches[0].ids.size(dim) : drawn; };
  const bool masked =
      o.megatron.reset_attention_mask || (given && (o.batches[0].mask.defined() || o.batches[0].prefixes.defined()));
  const MegatronConfig config = shard_config(o.megatron, tensor_degree(o));
  const std::int64_t rows = size(0, o.batch_size) / data_degree(o);
  const SoftmaxPath path = softmax_path(config, o.dtype, rows, size(1, o.seq_len), masked);
  return {{"softmax_path", std::string(name(path))}};
}

void check(const GptOptions& o) {
  check_config(o);
  require_positive("steps", o.steps);
  require_finite("lr", o.lr);
  require_finite("weight_decay", o.weight_decay);
  require_thread_number(o.threads);
  check_dtype(o);
  check_processes(o);
  o.batches.empty() ? check_drawn(o) : check_given(o);
}

}  // namespace goldentrace
