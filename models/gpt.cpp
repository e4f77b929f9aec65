#include "models/gpt.h"

#include <memory>
#include <optional>

#include "models/gpt_checkpoint.h"
#include "models/gpt_data.h"
#include "models/gpt_draw.h"
#include "models/gpt_network.h"
#include "models/gpt_parameters.h"
#include "models/gpt_shards.h"
#include "models/loss_value.h"
#include "models/notify.h"
#include "models/optimizer.h"
#include "models/option_check.h"
#include "models/run_scope.h"
#include "models/shards.h"
#include "models/tensor_parallel.h"

namespace goldentrace {
namespace {

void draw(GptParameters& parameters, const GptOptions& options) {
  switch (options.kind) {
    case GptKind::hf:
      return draw_parameters(parameters, options.config);
    case GptKind::megatron:
      return draw_parameters(parameters, options.megatron);
    case GptKind::bloom:
      return draw_parameters(parameters, options.bloom);
  }
}

// Of the weights.
WeightShard shard_of(const GptOptions& options) {
  if (tensor_degree(options) == 1) return {};
  return {options.ranks->tensor().index(), options.ranks->tensor().size()};
}

GptParameters initial_parameters(const GptOptions& options, std::vector<std::string>& notes) {
  GptParameters parameters = allocate_parameters(dims_of(options));
  if (options.checkpoint.empty())
    draw(parameters, options);
  else
    notes = load_checkpoint(options, parameters);
  if (const WeightShard shard = shard_of(options); shard.count > 1)
    parameters = shard_parameters(parameters, options.megatron, shard);
  return trainable(parameters, options.dtype);
}

std::unique_ptr<Optimizer> make_optimizer(const GptOptions& options, const NamedTensors& parameters) {
  if (options.optimizer == OptimizerKind::sgd) return std::make_unique<Sgd>(tensors_of(parameters), options.lr);
  return std::make_unique<AdamW>(tensors_of(parameters),
                                 AdamWOptions{.lr = options.lr, .weight_decay = options.weight_decay});
}

class GptTrainer {
 public:
  GptTrainer(const GptOptions& options, const Events& events)
      : options_(options),
        events_(events),
        parameters_(initial_parameters(options, result_.notes)),
        optimizer_(make_optimizer(options, named(parameters_, options_.kind))),
        batches_(options.batches.empty() ? draw_batches(options, token_count(options)) : options.batches) {
    if (tensor_degree(options) > 1) tensor_ranks_.emplace(options.ranks->tensor(), seed(), options.fault);
    if (part() > 0) seed_cpu_random(seed());
  }

  GptResult run(const std::function<void(const std::string&)>& log) {
    for (const NamedTensor& entry : named(parameters_, options_.kind))
      notify(events_.parameter, entry.name, entry.tensor);
    for (std::int64_t step = 0; step < options_.steps; ++step) {
      train(step);
      notify(log, "step " + std::to_string(step) + " loss " + shortest(result_.losses.back()));
    }
    result_.parameters = named(parameters_, options_.kind);
    return std::move(result_);
  }

 private:
  void train(std::int64_t step) {
    const GptBatch& whole = batches_[static_cast<std::size_t>(step) % batches_.size()];
    const GptBatch batch = rows_of(with_labels(whole), part(), data_degree(options_));
    notify(events_.step, step);
    notify(events_.micro, std::int64_t{0});
    optimizer_->zero_grad();
    declare(batch);
    const auto [logits, loss] = run_network(options_, parameters_, batch, events_, ranks());
    notify(events_.loss, loss);
    loss.backward();
    const at::Tensor step_loss = combine(loss.detach());
    notify(events_.update);
    optimizer_->step();
    notify(events_.step_loss, step_loss);
    result_.losses.push_back(loss_value(step_loss));
    result_.logits = logits.detach();
  }

  // Gradients and loss of the whole batch.
  at::Tensor combine(const at::Tensor& loss) {
    if (data_degree(options_) == 1) return loss;
    RankGroup& parts = options_.ranks->data();
    const NamedTensors parameters = named(parameters_, options_.kind);
    set_gradients(parameters, mean_over_ranks(parts, parameters, gradients_of(parameters)));
    return parts.mean(loss, "the loss");
  }

  std::int64_t part() const { return data_degree(options_) > 1 ? options_.ranks->data().index() : 0; }
  TensorParallel* ranks() { return tensor_ranks_ ? &*tensor_ranks_ : nullptr; }

  // Of random numbers after the initial weights: other rows, other masks.
  std::uint64_t seed() const { return options_.seed + static_cast<std::uint64_t>(part()); }

  void declare(const GptBatch& batch) const {
    notify(events_.input, "ids", batch.ids);
    notify(events_.input, "labels", batch.labels);
    if (batch.mask.defined()) notify(events_.input, "mask", batch.mask);
    if (batch.prefixes.defined()) notify(events_.input, "prefixes", batch.prefixes);
  }

  const GptOptions& options_;
  const Events& events_;
  GptResult result_;
  GptParameters parameters_;
  std::unique_ptr<Optimizer> optimizer_;
  std::vector<GptBatch> batches_;
  std::optional<TensorParallel> tensor_ranks_;
};

}  // namespace

GptResult train_gpt(const GptOptions& options, const Events& events,
                    const std::function<void(const std::string& line)>& log) {
  check(options);
  require(options.processes == 1 || options.ranks, "this process knows nothing of the other ranks");
  const RunScope scope(options.seed, options.threads);
  return GptTrainer(options, events).run(log);
}

}  // namespace goldentrace
