// The linear-model trainer: Linear(D, D/2), ReLU, Linear(D/2, 3), Linear(3, 3), cross entropy, SGD, one synthetic
// batch.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "models/checkpoint_layer.h"
#include "models/events.h"
#include "models/mlp_sharding.h"
#include "models/named_tensor.h"
#include "models/rank_group.h"

namespace goldentrace {

enum class MlpVariant {
  plain,     // one batch, one update
  ga_loop,   // gradients of `gradient_accumulation_steps` micro-batches are summed before each update
  ga_while,  // the same as an accumulation loop (models/accumulation_loop.h)
  dp,        // gradients of `shards` equal parts of the batch are averaged before each update
};

bool accumulates(MlpVariant variant);  // over micro-batches

// Defaults are the upstream trainer's.
struct MlpOptions {
  MlpVariant variant = MlpVariant::plain;
  Checkpointing checkpointing = Checkpointing::off;  // of layers 1, 2 and 3, each by itself
  std::int64_t batch_size = 128;                     // rows of a micro-batch; of all shards together
  std::int64_t num_epochs = 1;
  double lr = 0.1;
  std::int64_t log_steps = 8;  // a line is logged when the counter is a multiple of it
  std::int64_t input_dim = 16834;
  std::int64_t train_dataset_len = 8192;         // rows of an epoch; a remainder is dropped
  std::int64_t gradient_accumulation_steps = 1;  // of ga_loop and ga_while
  std::int64_t shards = 1;                       // dp only
  // dp only: the processes that have one shard each, as many as shards; null: one after another in this one, which the
  // same bits come from. Must outlive the run.
  RankGroup* ranks = nullptr;
  MlpSharding sharding;    // of the tensors of every micro-batch, in this process
  std::uint64_t seed = 42;
  at::ScalarType dtype = at::kFloat;  // weights and batch are drawn in float32, then converted
  int threads = 0;                    // 0: LibTorch's current number
};

// "plain", "ga-loop", "ga-while", "dp8", each with "-ckpt" behind it when it is checkpointed.
std::string variant_name(const MlpOptions& options);
// Sets variant, checkpointing and shards; Error(usage) for any other name.
void set_variant(MlpOptions& options, std::string_view name);

struct MlpResult {
  std::vector<double> losses;        // one per optimizer step: at the weights before the update
  std::vector<double> micro_losses;  // what backward() was called on: divided by the accumulation steps, not by shards
  at::Tensor evaluation;             // [10, 3], on the CPU, detached
  NamedTensors parameters;           // layers.{0,2,3}.{weight,bias} after training
};

// Error(usage) for sizes that cannot be or that exceed this machine's memory; draws nothing, allocates nothing.
void check(const MlpOptions& options);

// Trains and evaluates on the calling thread. Deterministic in the options: the generator is seeded first, and its
// state, the thread number and the gradient mode are given back at the end. Labels: layers.0 … layers.3, loss, and
// `evaluation` around the layers of the last step, which is numbered one past the last update and has no loss.
// `log` receives lines such as "Epoch 0 step 8 loss 0.5621531009674072".
MlpResult train_mlp(const MlpOptions& options, const Events& events = {},
                    const std::function<void(const std::string& line)>& log = {});

}  // namespace goldentrace
