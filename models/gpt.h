// Trains the Hugging Face-shaped GPT-2 for some steps: what `gtrace record gpt --shape hf` runs.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "models/events.h"
#include "models/gpt_config.h"
#include "models/named_tensor.h"

namespace goldentrace {

enum class OptimizerKind { sgd, adamw };

std::string_view name(OptimizerKind kind);                  // "sgd", "adamw"
OptimizerKind parse_optimizer_kind(std::string_view name);  // Error(usage) for any other name

// One batch. Integers are int64 on the CPU.
struct GptBatch {
  at::Tensor ids;     // [batch, seq], each in [0, vocab_size)
  at::Tensor labels;  // [batch, seq], next-token targets, never shifted, -100 is ignored; undefined: the id at t+1, the
                      // last position ignored
  at::Tensor mask;    // [batch, seq], 1 = token, 0 = padding that no query sees; undefined: all tokens
};

struct GptOptions {
  GptConfig config;
  std::int64_t batch_size = 4;  // used when `batches` is empty: ids are then drawn from the seed, anew for each step
  std::int64_t seq_len = 32;
  std::vector<GptBatch> batches;  // step k trains on batches[k % size]
  std::int64_t steps = 1;
  OptimizerKind optimizer = OptimizerKind::sgd;
  double lr = 0.01;
  double weight_decay = 0.01;        // adamw only; betas 0.9, 0.999, eps 1e-8
  std::filesystem::path checkpoint;  // a .safetensors file; empty: weights drawn from the seed
  std::uint64_t seed = 42;
  at::ScalarType dtype = at::kFloat;  // float32, bfloat16, float16, float64; weights are drawn in float32
  int threads = 0;                    // 0: LibTorch's current number
};

struct GptResult {
  std::vector<double> losses;      // one per step, at the weights before the update
  at::Tensor logits;               // [batch, seq, vocab] of the last step, detached
  NamedTensors parameters;         // after training, keys of a transformers checkpoint: "transformer.h.0.ln_1.weight"
  std::vector<std::string> notes;  // what loading dropped or found odd
};

// Error(usage) for sizes that cannot be, ids outside the vocabulary, sequences longer than n_positions, or a run that
// exceeds this machine's memory. Allocates nothing.
void check(const GptOptions& options);

// Runs on the calling thread; what train_mlp says of determinism holds. Labels: wte, wpe, drop, h.N, h.N.ln_1,
// h.N.attn, h.N.attn.{c_attn,scores,probs,attn_dropout,context,c_proj,resid_dropout}, h.N.attention_residual, h.N.ln_2,
// h.N.mlp, h.N.mlp.{c_fc,act,c_proj,dropout}, ln_f, lm_head, loss.
GptResult train_gpt(const GptOptions& options, const Events& events = {},
                    const std::function<void(const std::string& line)>& log = {});

}  // namespace goldentrace
