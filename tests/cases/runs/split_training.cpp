#include "tests/cases/runs/split_training.h"

#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mse_loss.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/sin.h>
#include <ATen/ops/zeros.h>
#include <ATen/record_function.h>
#include <torch/csrc/autograd/autograd.h>

#include <string>
#include <vector>

#include "models/named_tensor.h"
#include "models/shards.h"
#include "recorder/recorder.h"

namespace goldentrace::cases {
namespace {

constexpr std::int64_t rows = 16;

at::Tensor numbers(std::int64_t count, double scale) { return at::arange(count, at::kFloat).mul(scale).sin(); }

template <class Body>
at::Tensor layer(const char* label, const Body& body) {
  RECORD_USER_SCOPE(label);
  return body();
}

Header facts(const SplitTraining& options) {
  Header header{{"model.variant", options.micros > 1 ? "ga-loop" : "plain"},
                {"model.gradient_accumulation_steps", std::to_string(options.micros)}};
  if (options.ranks == 1) return header;
  header["ranks"] = header["ranks.data"] = std::to_string(options.ranks);
  header["ranks.tensor"] = "1";
  return header;
}

class Trainer {
 public:
  Trainer(Recorder& recorder, const SplitTraining& options) : recorder_(recorder), o_(options) {
    for (const NamedTensor& each : weights_) {
      each.tensor.set_requires_grad(true);
      recorder_.watch(each.name, each.tensor);
    }
  }

  void step(std::int64_t number) {
    recorder_.step(number);
    std::vector<at::Tensor> total;
    at::Tensor loss = at::zeros({});
    for (std::int32_t rank = 0; rank < o_.ranks; ++rank) {
      recorder_.rank(rank);
      set_gradients(weights_, {at::Tensor(), at::Tensor()});
      const Drift drift(*this, rank == o_.drifting_rank && number > 0);
      at::manual_seed(static_cast<std::uint64_t>(100 * number + (o_.has_one_seed ? 0 : rank)));
      loss += micro_batches(rank).div(o_.ranks);
      if (rank != o_.lost_rank) add_shard(total, gradients_of(weights_));
    }
    divide(total, o_.ranks);
    for (const at::Tensor& each : total) each.mul_(o_.total_factor);
    set_gradients(weights_, total);
    recorder_.update();
    descend();
    recorder_.step_loss(loss);
  }

 private:
  // Changes the weight for as long as it lives.
  class Drift {
   public:
    Drift(Trainer& trainer, bool drifts) : weight_(trainer.weights_[1].tensor), by_(drifts ? 0.125 : 0) { add(by_); }
    ~Drift() { add(-by_); }
    Drift(const Drift&) = delete;
    Drift& operator=(const Drift&) = delete;

   private:
    void add(double value) {
      const at::NoGradGuard no_gradients;
      if (value != 0) weight_.select(0, 0).add_(value);
    }

    at::Tensor weight_;
    double by_;
  };

  at::Tensor micro_batches(std::int32_t rank) {
    const std::int64_t count = rows / o_.ranks / o_.micros;
    at::Tensor sum = at::zeros({});
    for (std::int64_t micro = 0; micro < o_.micros; ++micro) {
      if (micro == o_.early_update) descend();
      recorder_.micro(micro);
      const std::int64_t first = (rank * o_.micros + micro) * count;
      sum += forward_backward(x_.slice(0, first, first + count), y_.slice(0, first, first + count));
    }
    return sum;
  }

  at::Tensor forward_backward(const at::Tensor& x, const at::Tensor& y) {
    recorder_.input("x", x);
    recorder_.input("y", y);
    at::Tensor h = layer("layers.0", [&] { return at::linear(x, weights_[0].tensor); });
    h = layer("layers.1", [&] { return at::dropout(at::relu(h), o_.dropout, true); });
    h = layer("layers.2", [&] { return at::linear(h, weights_[1].tensor); });
    const double divisor = o_.divides_loss ? static_cast<double>(o_.micros) : 1;
    const at::Tensor loss = layer("loss", [&] { return at::mse_loss(h, y).div(divisor); });
    recorder_.loss(loss);
    torch::autograd::backward({loss}, {});
    return loss.detach();
  }

  void descend() {
    const at::NoGradGuard no_gradients;
    for (const NamedTensor& each : weights_) each.tensor.sub_(each.tensor.grad(), 0.1);
  }

  Recorder& recorder_;
  const SplitTraining& o_;
  NamedTensors weights_{{"layers.0.weight", numbers(24, 0.7).view({6, 4})},
                        {"layers.2.weight", numbers(18, 1.3).view({3, 6})}};
  at::Tensor x_ = numbers(rows * 4, 0.9).view({rows, 4}), y_ = numbers(rows * 3, 1.1).view({rows, 3});
};

}  // namespace

void record(const std::filesystem::path& path, const SplitTraining& options) {
  RecorderOptions recording;
  recording.output = path;
  recording.header = facts(options);
  Recorder recorder(recording);
  Trainer trainer(recorder, options);
  for (const std::int64_t number : {0, 1, 2}) trainer.step(number);
  recorder.close();
}

}  // namespace goldentrace::cases
