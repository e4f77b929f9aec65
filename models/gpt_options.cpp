#include <algorithm>

#include "models/gpt.h"
#include "models/gpt_data.h"
#include "models/memory_limit.h"
#include "models/option_check.h"

namespace goldentrace {
namespace {

// Floating elements that one layer keeps for its backward pass, per position and hidden element: both norms, qkv,
// context, projection, residuals; per inner element: pre-activation and the parts of the op-by-op GELU; per score:
// product, scaled, masked, probabilities, dropout.
constexpr double kept_hidden = 12, kept_inner = 9, kept_scores = 6;
constexpr double kept_logits = 3;  // logits, log-softmax, gradient

double activation_count(const GptConfig& c, double batch, double seq) {
  const double h = static_cast<double>(c.n_embd), inner = c.n_inner ? static_cast<double>(*c.n_inner) : 4 * h;
  const double layer = kept_hidden * h + kept_inner * inner + kept_scores * static_cast<double>(c.n_head) * seq;
  return batch * seq * (static_cast<double>(c.n_layer) * layer + kept_logits * static_cast<double>(c.vocab_size));
}

double bytes_needed(const GptOptions& o, double batch, double seq) {
  const double item = static_cast<double>(c10::elementSize(o.dtype));
  const double copies = o.optimizer == OptimizerKind::adamw ? 4 : 2;  // weights, gradients, two moments
  const double drawn = o.batches.empty() ? 8 * batch * seq * static_cast<double>(o.steps) : 0;
  const double initial = sizeof(float) * parameter_count(o.config);  // weights are drawn in float32
  return item * (copies * parameter_count(o.config) + activation_count(o.config, batch, seq)) + drawn + initial;
}

void check_drawn(const GptOptions& o) {
  require_positive("batch_size", o.batch_size);
  require(o.seq_len >= 2, "seq_len must be at least 2, not " + std::to_string(o.seq_len));
  require(o.seq_len <= o.config.n_positions, "seq_len " + std::to_string(o.seq_len) + " is longer than n_positions " +
                                                 std::to_string(o.config.n_positions));
  check_memory(bytes_needed(o, static_cast<double>(o.batch_size), static_cast<double>(o.seq_len)), "this GPT");
}

void check_given(const GptOptions& o) {
  double batch = 0, seq = 0;
  for (const GptBatch& given : o.batches) {
    check(given, o.config);
    batch = std::max(batch, static_cast<double>(given.ids.size(0)));
    seq = std::max(seq, static_cast<double>(given.ids.size(1)));
  }
  check_memory(bytes_needed(o, batch, seq), "this GPT");
}

}  // namespace

void check(const GptOptions& o) {
  check(o.config);
  require_positive("steps", o.steps);
  require_finite("lr", o.lr);
  require_finite("weight_decay", o.weight_decay);
  require_thread_number(o.threads);
  require_trainable(o.dtype);
  o.batches.empty() ? check_drawn(o) : check_given(o);
}

}  // namespace goldentrace
