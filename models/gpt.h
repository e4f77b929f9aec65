// Trains a GPT of any shape for some steps: what `gtrace record gpt` runs.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "models/bloom_config.h"
#include "models/events.h"
#include "models/gpt_config.h"
#include "models/gpt_kind.h"
#include "models/megatron_config.h"
#include "models/named_tensor.h"
#include "models/rank_fault.h"
#include "models/rank_mesh.h"

namespace goldentrace {

enum class OptimizerKind { sgd, adamw };

std::string_view name(OptimizerKind kind);                  // "sgd", "adamw"
OptimizerKind parse_optimizer_kind(std::string_view name);  // Error(usage) for any other name

inline constexpr std::int64_t ignored_label = -100;

// One batch. Integers are int64 on the CPU.
struct GptBatch {
  at::Tensor ids;     // [batch, seq], each in [0, vocab_size)
  at::Tensor labels;  // [batch, seq], next-token targets, never shifted, -100 is ignored; undefined: the id at t+1, the
                      // last position ignored
  at::Tensor mask;    // [batch, seq], 1 = token, 0 = padding that no query sees; undefined: all tokens
  // Of the megatron shape: [batch] or, one for each document, [batch, documents] with -1 where a row has fewer: how
  // many tokens of the row (counted from its begin) see each other in both directions. Undefined: causal.
  at::Tensor prefixes;
};

struct GptOptions {
  GptKind kind = GptKind::hf;
  GptConfig config;             // of hf
  MegatronConfig megatron;      // of megatron
  BloomConfig bloom;            // of bloom
  std::int64_t batch_size = 4;  // used when `batches` is empty: ids are then drawn from the seed, anew for each step
  std::int64_t seq_len = 32;
  std::vector<GptBatch> batches;  // step k trains on batches[k % size]
  std::int64_t steps = 1;
  OptimizerKind optimizer = OptimizerKind::sgd;
  double lr = 0.01;
  double weight_decay = 0.01;        // adamw only; betas 0.9, 0.999, eps 1e-8
  std::filesystem::path checkpoint;  // see gpt_checkpoint.h; empty: weights drawn from the seed
  std::uint64_t seed = 42;
  at::ScalarType dtype = at::kFloat;  // float32, bfloat16, float16, float64; weights are drawn in float32
  int threads = 0;                    // 0: LibTorch's current number
  // Processes that train together: tensor_model_parallel_size of them (megatron) hold parts of the same weights, and
  // as often as that goes into their number there is an equal part of the rows of every batch, in order. Losses are
  // means of the parts, gradients ((g_0 + g_1) + …) / parts. 1: this process alone, in which megatron's degree is that
  // of the sums only.
  std::int64_t processes = 1;
  RankMesh* ranks = nullptr;  // this one among them; must outlive the run. null: there are no others
  RankFault fault;            // of this rank, for tests
};

// Of the processes: those that hold parts of the same weights, and the groups of them with other rows of the batch.
std::int64_t tensor_degree(const GptOptions& options);
std::int64_t data_degree(const GptOptions& options);

// The options of the shape's own configuration.
void set_option(GptOptions& options, std::string_view option, std::string_view value);
std::vector<std::string> option_names(GptKind kind);
std::map<std::string, std::string> describe(const GptOptions& options);
GptDims dims_of(const GptOptions& options);
std::int64_t token_count(const GptOptions& options);  // of the vocabulary, without rows that pad it
std::int64_t head_count(const GptOptions& options);

// Facts that follow from options and data, for trace headers: "softmax_path".
std::map<std::string, std::string> modelled_paths(const GptOptions& options);

struct GptResult {
  std::vector<double> losses;  // one per step, at the weights before the update, of the whole batch
  at::Tensor logits;           // [rows of this process, seq, vocab] of the last step, detached
  NamedTensors parameters;     // after training, keys of the shape's own checkpoints: see named() in gpt_parameters.h
  std::vector<std::string> notes;  // what loading dropped or found odd
};

// Error(usage) for sizes that cannot be, options that exclude each other, ids outside the vocabulary, sequences longer
// than the position table, processes that cannot share the work evenly, or a run that exceeds this machine's memory.
// Allocates nothing, and needs no ranks.
void check(const GptOptions& options);

// Runs on the calling thread; what train_mlp says of determinism holds. Labels:
//
// hf: wte, wpe, drop, h.N, h.N.ln_1, h.N.attn, h.N.attn.{c_attn,scores,probs,attn_dropout,context,c_proj,
// resid_dropout}, h.N.attention_residual, h.N.ln_2, h.N.mlp, h.N.mlp.{c_fc,act,c_proj,dropout}, ln_f, lm_head, loss;
// with megatron_mode.bda without resid_dropout and mlp.dropout, which are part of the sums.
//
// megatron: embedding, embedding.{word,norm,position}, encoder.input, layers.N, layers.N.input_layernorm,
// layers.N.self_attention, layers.N.self_attention.{query_key_value,query,key,value,scores,probs,attention_dropout,
// context,dense}, layers.N.attention_residual, layers.N.post_attention_layernorm, layers.N.mlp,
// layers.N.mlp.{dense_h_to_4h,activation,dense_4h_to_h}, final_layernorm, logits, loss; on tensor-parallel ranks also
// NAME.all_reduce in front of query_key_value, dense_h_to_4h and logits, which sums their gradients, the same inside
// embedding.word, dense and dense_4h_to_h, and logits.all_gather. Every rank draws the weights of the whole model, so
// that they do not depend on the number of ranks (where the padded vocabulary does not), and its attention dropout from
// a stream of its own; hidden dropout draws the same on all ranks that have the same rows.
//
// bloom: word_embeddings, word_embeddings_layernorm, h.N, h.N.input_layernorm, h.N.self_attention,
// h.N.self_attention.{query_key_value,scores,probs,attention_dropout,context,dense}, h.N.attention_residual,
// h.N.post_attention_layernorm, h.N.mlp, h.N.mlp.{dense_h_to_4h,gelu_impl,dense_4h_to_h}, ln_f, lm_head, loss.
GptResult train_gpt(const GptOptions& options, const Events& events = {},
                    const std::function<void(const std::string& line)>& log = {});

}  // namespace goldentrace
