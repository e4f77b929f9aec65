#include "models/memory_limit.h"
#include "models/mlp.h"
#include "models/mlp_model.h"
#include "models/option_check.h"

namespace goldentrace {
namespace {

// Weights, gradients, sums of gradients where they are apart, the batch, and per micro-batch the hidden layer before
// and after ReLU with both gradients.
double bytes_needed(const MlpOptions& o) {
  const double item = static_cast<double>(c10::elementSize(o.dtype));
  const double d = static_cast<double>(o.input_dim), hidden = d / 2;
  const double parameters = d * hidden + hidden + mlp_classes * (hidden + 1) + mlp_classes * (mlp_classes + 1);
  const double batch = static_cast<double>(o.batch_size);
  const double rows = batch * static_cast<double>(o.gradient_accumulation_steps);
  const double copies = o.variant == MlpVariant::plain || o.variant == MlpVariant::ga_loop ? 2 : 3;
  return item * (copies * parameters + rows * d + 4 * batch * hidden);
}

void check_shards(const MlpOptions& o) {
  require_positive("shards", o.shards);
  require(o.variant == MlpVariant::dp || o.shards == 1, "shards need the variant dp");
  require_divides("the number of shards", o.shards, "batch_size", o.batch_size);
  require(o.ranks == nullptr || o.ranks->size() == o.shards, "each rank has one shard");
}

void check_accumulation(const MlpOptions& o) {
  require_positive("gradient_accumulation_steps", o.gradient_accumulation_steps);
  require(accumulates(o.variant) || o.gradient_accumulation_steps == 1,
          "gradient_accumulation_steps needs the variant ga-loop or ga-while");
}

void check_sharding(const MlpSharding& sharding) {
  require_positive("devices", sharding.devices);
  require(sharding.devices <= most_devices, "devices must be at most " + std::to_string(most_devices));
  const bool is_sharded = sharding.batch || sharding.fsdp || sharding.megatron_lm;
  require(is_sharded || sharding.devices == 1, "devices need a sharding");
  require(!is_sharded || sharding.devices > 1, "a sharding needs at least two devices");
}

}  // namespace

void check(const MlpOptions& o) {
  require_positive("batch_size", o.batch_size);
  require_positive("num_epochs", o.num_epochs);
  require_positive("log_steps", o.log_steps);
  require_positive("train_dataset_len", o.train_dataset_len);
  require(o.input_dim >= 2, "input_dim must be at least 2, not " + std::to_string(o.input_dim));
  require_finite("lr", o.lr);
  check_accumulation(o);
  check_shards(o);
  check_sharding(o.sharding);
  require_thread_number(o.threads);
  require_trainable(o.dtype);
  check_memory(bytes_needed(o), "this MLP");
  // Sizes are known to be small by now: the product cannot overflow.
  require(o.train_dataset_len >= o.batch_size * o.gradient_accumulation_steps,
          "train_dataset_len is shorter than one batch of " +
              std::to_string(o.batch_size * o.gradient_accumulation_steps) + " rows: no step to train");
}

}  // namespace goldentrace
