#include "models/mlp.h"

#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>

#include "models/accumulation_loop.h"
#include "models/layer.h"
#include "models/loss_value.h"
#include "models/mlp_model.h"
#include "models/notify.h"
#include "models/optimizer.h"
#include "models/run_scope.h"
#include "models/shards.h"

namespace goldentrace {
namespace {

constexpr std::int64_t evaluation_rows = 10;

// One run; a member per thing that lives as long as the run. The order of the members is the order of the draws.
class MlpTrainer {
 public:
  MlpTrainer(const MlpOptions& options, const Events& events, const std::function<void(const std::string&)>& log)
      : options_(options), events_(events), log_(log), model_(options.input_dim, options.dtype, options.sharding) {
    x_ = at::randn({rows(), options.input_dim}, at::kFloat).to(options.dtype);
    y_ = at::randint(0, mlp_classes, {rows()}, at::kLong);
  }

  MlpResult run() {
    for (const NamedTensor& entry : model_.parameters()) notify(events_.parameter, entry.name, entry.tensor);
    for (std::int64_t epoch = 0; epoch < options_.num_epochs; ++epoch) train_epoch(epoch);
    evaluate();
    result_.parameters = model_.parameters();
    return std::move(result_);
  }

 private:
  std::int64_t micros() const { return options_.gradient_accumulation_steps; }
  std::int64_t rows() const { return options_.batch_size * micros(); }

  void train_epoch(std::int64_t epoch) {
    const std::int64_t updates = options_.train_dataset_len / rows();
    for (std::int64_t i = 0; i < updates; ++i) {
      notify(events_.step, step_);
      train_step();
      log_line(epoch, accumulates(options_.variant) ? (i + 1) * micros() : i);
      ++step_;
    }
  }

  void train_step() {
    switch (options_.variant) {
      case MlpVariant::plain:
        return train_plain();
      case MlpVariant::ga_loop:
        return train_accumulated();
      case MlpVariant::ga_while:
        return train_in_loop();
      case MlpVariant::dp:
        return train_sharded();
    }
  }

  void train_plain() {
    optimizer_.zero_grad();
    const at::Tensor loss = backward(0, x_, y_);
    update(loss.clone().detach());
  }

  void train_accumulated() {
    const at::Tensor x = x_by_micro(), y = y_by_micro();
    at::Tensor running = at::zeros({1}, options_.dtype == at::kDouble ? at::kDouble : at::kFloat);
    for (std::int64_t micro = 0; micro < micros(); ++micro) running += backward(micro, x[micro], y[micro]);
    update(running.squeeze(0));
    optimizer_.zero_grad();
  }

  void train_in_loop() {
    std::int64_t micro = 0;
    const auto train_step = [&](const std::vector<at::Tensor>& slices, const std::vector<at::Tensor>&) {
      return std::vector{loss_of(micro++, slices[0], slices[1])};
    };
    update(accumulate_gradients(train_step, {x_by_micro(), y_by_micro()}, tensors_of(model_.parameters()), {},
                                LossDivision::by_train_step)
               .front());
    optimizer_.zero_grad();
  }

  at::Tensor x_by_micro() const { return x_.reshape({micros(), -1, options_.input_dim}); }
  at::Tensor y_by_micro() const { return y_.reshape({micros(), -1}); }

  void train_sharded() {
    if (options_.ranks) return train_own_shard(*options_.ranks);
    std::vector<at::Tensor> losses, sums;
    for (std::int64_t shard = 0; shard < options_.shards; ++shard) {
      notify(events_.rank, shard);
      losses.push_back(backward_of_shard(shard));
      add_shard(sums, gradients_of(model_.parameters()));
    }
    divide(sums, options_.shards);
    set_gradients(model_.parameters(), sums);
    update(mean_of_shards(losses));
  }

  void train_own_shard(RankGroup& ranks) {
    const at::Tensor loss = backward_of_shard(ranks.index());
    const NamedTensors parameters = model_.parameters();
    set_gradients(parameters, mean_over_ranks(ranks, parameters, gradients_of(parameters)));
    update(ranks.mean(loss, "the loss"));
  }

  at::Tensor backward_of_shard(std::int64_t shard) {
    optimizer_.zero_grad();
    const std::int64_t rows = options_.batch_size / options_.shards;
    return backward(0, x_.narrow(0, shard * rows, rows), y_.narrow(0, shard * rows, rows));
  }

  // Forward, loss and backward of one micro-batch; returns the detached loss.
  at::Tensor backward(std::int64_t micro, const at::Tensor& x, const at::Tensor& y) {
    const at::Tensor loss = loss_of(micro, x, y);
    loss.backward();
    return loss.detach();
  }

  // What the backward pass of a micro-batch begins with.
  at::Tensor loss_of(std::int64_t micro, const at::Tensor& x, const at::Tensor& y) {
    notify(events_.micro, micro);
    notify(events_.input, "x", x);
    notify(events_.input, "y", y);
    const at::Tensor output = model_.forward(x, events_, options_.checkpointing);
    const at::Tensor loss = layer(events_, "loss", [&] {
      const at::Tensor mean = at::cross_entropy_loss(output, y);
      return accumulates(options_.variant) ? mean.div(micros()) : mean;
    });
    notify(events_.loss, loss);
    result_.micro_losses.push_back(loss_value(loss));
    return loss;
  }

  void update(const at::Tensor& step_loss) {
    notify(events_.update);
    optimizer_.step();
    notify(events_.step_loss, step_loss);
    result_.losses.push_back(loss_value(step_loss));
  }

  void log_line(std::int64_t epoch, std::int64_t counter) const {
    if (log_ && counter % options_.log_steps == 0)
      log_("Epoch " + std::to_string(epoch) + " step " + std::to_string(counter) + " loss " +
           shortest(result_.losses.back()));
  }

  void evaluate() {
    const at::Tensor x = at::randn({evaluation_rows, options_.input_dim}, at::kFloat).to(options_.dtype);
    notify(events_.step, step_);
    notify(events_.micro, std::int64_t{0});
    notify(events_.input, "x", x);
    result_.evaluation = layer(events_, "evaluation", [&] { return model_.forward(x, events_); }).detach();
  }

  const MlpOptions& options_;
  const Events& events_;
  const std::function<void(const std::string&)>& log_;
  MlpModel model_;
  at::Tensor x_;  // [rows, D]
  at::Tensor y_;  // [rows], int64 in [0, 3)
  Sgd optimizer_{tensors_of(model_.parameters()), options_.lr};
  std::int64_t step_ = 0;
  MlpResult result_;
};

}  // namespace

MlpResult train_mlp(const MlpOptions& options, const Events& events,
                    const std::function<void(const std::string& line)>& log) {
  check(options);
  const RunScope scope(options.seed, options.threads);
  return MlpTrainer(options, events, log).run();
}

}  // namespace goldentrace
