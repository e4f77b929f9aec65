// A small training run made up in memory, in all the ways in which it can be split: micro-batches, ranks, recomputed
// layers. x [n, 3] -> layers.0 (linear) -> layers.1 (dropout) -> layers.2 (linear) -> loss; rows of the batch are the
// same however it is split, and the arithmetic is float32.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/diff/memory_trace.h"

namespace goldentrace::testing {

struct Matrix {
  std::int64_t rows = 0, columns = 0;
  std::vector<float> data;

  float& at(std::int64_t row, std::int64_t column) { return data[static_cast<std::size_t>(row * columns + column)]; }
  float at(std::int64_t row, std::int64_t column) const {
    return data[static_cast<std::size_t>(row * columns + column)];
  }
};

// Where the run is when it is asked for something.
struct Moment {
  std::int64_t step = 0, micro = 0;
  std::int32_t rank = 0;
  bool recompute = false;
};

struct VariantRunOptions {
  std::int64_t rows = 8;    // of the whole batch
  std::int64_t micros = 1;  // of every rank
  std::int32_t ranks = 1;
  std::int64_t steps = 2;
  bool checkpointed = false;          // layers.1 and layers.2 are recomputed
  bool evaluates = false;             // at the end, every rank the same rows
  bool one_process = true;            // update records of rank 0 only
  std::vector<std::int64_t> order;    // in which the micro-batches are taken; empty: one after another
  std::vector<std::int64_t> present;  // per step, how many of them there are; empty: all
  std::vector<std::int64_t> tokens;   // of every shard, rank by rank: how many of its labels count; empty: no labels
  // The state that dropout's mask is drawn from; empty: nothing is dropped.
  std::function<std::string(const Moment&)> random;
  // Faults.
  std::function<float(const Moment&)> loss_factor;                         // of the loss that backward() is called on
  std::function<float(const Moment&, float right)> step_loss;              // the reported one
  std::function<float(const Moment&)> share;                               // of a shard's gradient in the total
  std::function<float(const Moment&)> total_factor;                        // of the total gradient
  std::function<void(const Moment&, const std::string&, Matrix&)> weight;  // as a rank reads it
  std::int64_t update_before = -1;  // micro-batch before which the optimizer steps
};

class VariantRun {
 public:
  explicit VariantRun(VariantRunOptions options) : o_(std::move(options)) {
    weights_["layers.0"] = values(4, 3, 1);
    weights_["layers.2"] = values(2, 4, 2);
    x_ = values(o_.rows, 3, 3);
    t_ = values(o_.rows, 2, 4);
    header();
    for (std::int64_t step = 0; step < o_.steps; ++step) train(step);
    if (o_.evaluates) evaluate();
  }

  MemoryTrace trace;

 private:
  using Rows = std::vector<std::int64_t>;

  static Matrix values(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
    Matrix result{rows, columns, {}};
    std::uint64_t state = seed * 0x9e3779b97f4a7c15ULL;
    for (std::int64_t i = 0; i < rows * columns; ++i) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      result.data.push_back(static_cast<float>(static_cast<double>(state >> 40) / 16777216.0 - 0.5));
    }
    return result;
  }

  static Tensor tensor(const Matrix& values) { return floats(values.data, {values.rows, values.columns}); }

  // a b^T.
  static Matrix product(const Matrix& a, const Matrix& b) {
    Matrix result{a.rows, b.rows, std::vector<float>(static_cast<std::size_t>(a.rows * b.rows))};
    for (std::int64_t i = 0; i < a.rows; ++i)
      for (std::int64_t j = 0; j < b.rows; ++j)
        for (std::int64_t k = 0; k < a.columns; ++k) result.at(i, j) += a.at(i, k) * b.at(j, k);
    return result;
  }
  static Matrix transposed(const Matrix& a) {
    Matrix result{a.columns, a.rows, std::vector<float>(a.data.size())};
    for (std::int64_t i = 0; i < a.rows; ++i)
      for (std::int64_t j = 0; j < a.columns; ++j) result.at(j, i) = a.at(i, j);
    return result;
  }
  static void add(Matrix& sum, const Matrix& other, float factor = 1) {
    if (sum.data.empty()) sum = {other.rows, other.columns, std::vector<float>(other.data.size())};
    for (std::size_t i = 0; i < sum.data.size(); ++i) sum.data[i] += factor * other.data[i];
  }

  void header() {
    const bool accumulates = o_.micros > 1;
    trace.header = {
        {"model.gradient_accumulation_steps", std::to_string(o_.micros)},
        {"model.variant", std::string(accumulates ? "ga-loop" : "plain") + (o_.checkpointed ? "-ckpt" : "")}};
    if (o_.ranks > 1) {
      trace.header["ranks"] = trace.header["ranks.data"] = std::to_string(o_.ranks);
      trace.header["ranks.tensor"] = "1";
    }
  }

  RecordId id(const Moment& at, Pass pass, const std::string& layer, Role role, const std::string& index = "0") const {
    RecordId result = id_of(layer, role, index, pass);
    result.step = at.step;
    result.micro = at.micro;
    result.rank = at.rank;
    return result;
  }

  Matrix slice(const Matrix& whole, const Moment& at) const {
    const std::int64_t n = o_.rows / (o_.micros * o_.ranks);
    const std::int64_t taken = o_.order.empty() ? at.micro : o_.order[static_cast<std::size_t>(at.micro)];
    const std::int64_t first = (at.rank * o_.micros + taken) * n;
    Matrix part{n, whole.columns, {}};
    part.data.assign(whole.data.begin() + first * whole.columns, whole.data.begin() + (first + n) * whole.columns);
    return part;
  }

  struct Known {
    Matrix value;
    std::int64_t row = -1;
  };

  Known read_weight(const Moment& at, Pass pass, const std::string& layer) {
    Known result{weights_.at(layer), -1};
    if (o_.weight) o_.weight(at, layer, result.value);
    const auto made = updated_.find(layer);
    std::vector<std::int64_t> from;
    if (made != updated_.end()) from.push_back(made->second);
    result.row = trace.add(id(at, pass, layer, Role::param, "weight"), tensor(result.value), from);
    return result;
  }

  struct Layers {
    Known x, w0, h, d, w2, o;
  };

  Known linear(const Moment& at, Pass pass, const std::string& layer, const Known& input, Known& weight) {
    const std::int64_t entered = trace.add(id(at, pass, layer, Role::input), tensor(input.value), {input.row});
    weight = read_weight(at, pass, layer);
    const Matrix output = product(input.value, weight.value);
    return {output, trace.add(id(at, pass, layer, Role::output), tensor(output), {entered, weight.row})};
  }

  Known dropout(const Moment& at, Pass pass, const Known& input) {
    const std::int64_t entered = trace.add(id(at, pass, "layers.1", Role::input), tensor(input.value), {input.row});
    call(at, pass);
    Matrix output = input.value;
    for (std::int64_t i = 0; i < output.rows; ++i)
      for (std::int64_t j = 0; j < output.columns; ++j) output.at(i, j) *= kept(at, i, j);
    return {output, trace.add(id(at, pass, "layers.1", Role::output), tensor(output), {entered})};
  }

  float kept(const Moment& at, std::int64_t row, std::int64_t column) const {
    if (!o_.random) return 1;
    const std::string text = o_.random(at) + ' ' + std::to_string(row) + ' ' + std::to_string(column);
    return content_hash(std::as_bytes(std::span(text))).low % 2 == 0 ? 0.F : 2.F;
  }

  void call(const Moment& at, Pass pass) {
    if (!o_.random) return;
    if (trace.tapes.empty())
      trace.tapes.push_back(tape_of(
          "layers.1", {op("aten::dropout", {tensor_argument(0), real_argument(0.5), boolean_argument(true)}, 1)}));
    LayerCall entry;
    entry.step = at.step;
    entry.micro = at.micro;
    entry.rank = at.rank;
    entry.pass = pass;
    entry.layer = "layers.1";
    entry.tape = 0;
    entry.random = trace.random_state(o_.random(at));
    trace.calls.push_back(entry);
  }

  void train(std::int64_t step) {
    gradients_.clear();
    shares_.clear();
    losses_.clear();
    loss_rows_.clear();
    for (std::int32_t rank = 0; rank < o_.ranks; ++rank) {
      for (std::int64_t micro = 0; micro < o_.micros; ++micro) {
        if (micro == o_.update_before) step_weights(0.1F);
        if (!o_.present.empty() && micro >= o_.present[static_cast<std::size_t>(step)]) break;
        run_micro({step, micro, rank, false});
      }
    }
    update(step);
  }

  // A step without loss.
  void evaluate() {
    for (std::int32_t rank = 0; rank < (o_.one_process ? 1 : o_.ranks); ++rank) {
      const Moment at{o_.steps, 0, rank, false};
      const RecordId declared = id(at, Pass::forward, std::string(root_layer), Role::input, "x");
      const Known x{values(3, 3, 5), trace.add(declared, tensor(values(3, 3, 5)))};
      trace.records.back().declared = trace.records.back().external = true;
      Known weight;
      linear(at, Pass::forward, "layers.0", x, weight);
    }
  }

  void run_micro(const Moment& at) {
    Layers now;
    RecordId declared = id(at, Pass::forward, std::string(root_layer), Role::input, "x");
    now.x = {slice(x_, at), trace.add(declared, tensor(slice(x_, at)))};
    trace.records.back().declared = trace.records.back().external = true;
    declared.index = "y";
    const Known target{slice(t_, at), trace.add(declared, tensor(slice(t_, at)))};
    trace.records.back().declared = trace.records.back().external = true;
    declare_labels(at);
    now.h = linear(at, Pass::forward, "layers.0", now.x, now.w0);
    now.d = dropout(at, Pass::forward, now.h);
    now.o = linear(at, Pass::forward, "layers.2", now.d, now.w2);
    const Matrix error = loss(at, now.o, target);
    if (o_.checkpointed) recompute(at, now);
    backward(at, now, error);
  }

  void declare_labels(const Moment& at) {
    if (o_.tokens.empty()) return;
    const std::int64_t counted = o_.tokens[static_cast<std::size_t>(at.rank * o_.micros + at.micro)];
    std::vector<std::int64_t> labels(8, -100);
    std::fill_n(labels.begin(), counted, 1);
    trace.add(id(at, Pass::forward, std::string(root_layer), Role::input, "labels"), integers(labels));
    trace.records.back().declared = trace.records.back().external = true;
  }

  void recompute(Moment at, Layers& now) {
    at.recompute = true;
    now.d = dropout(at, Pass::recompute, now.h);
    linear(at, Pass::recompute, "layers.2", now.d, now.w2);
  }

  float divisor(const Moment& at) const {
    return static_cast<float>(o_.micros) / (o_.loss_factor ? o_.loss_factor(at) : 1.F);
  }

  // The gradient of the output.
  Matrix loss(const Moment& at, const Known& output, const Known& target) {
    const std::vector<std::int64_t> entered = {
        trace.add(id(at, Pass::forward, "loss", Role::input), tensor(output.value), {output.row}),
        trace.add(id(at, Pass::forward, "loss", Role::input, "1"), tensor(target.value), {target.row}, 1)};
    Matrix error = output.value;
    add(error, target.value, -1);
    float sum = 0;
    for (const float each : error.data) sum += each * each / 2;
    const float rows = static_cast<float>(error.rows);
    const float value = sum / rows / divisor(at);
    for (float& each : error.data) each /= rows * divisor(at);
    trace.add(id(at, Pass::forward, "loss", Role::output), scalar(value), entered);
    loss_rows_.push_back(trace.add(id(at, Pass::forward, "loss", Role::loss), scalar(value), entered));
    losses_.push_back(value);
    const auto one = trace.add(id(at, Pass::backward, "loss", Role::grad_output), scalar(1), {loss_rows_.back()});
    error_row_ =
        trace.add(id(at, Pass::backward, "loss", Role::grad_input), tensor(error), {one, entered[0], entered[1]});
    return error;
  }

  void backward(const Moment& at, const Layers& now, const Matrix& error) {
    const auto arrives = [&](const std::string& layer, const Matrix& value, std::int64_t from) {
      return trace.add(id(at, Pass::backward, layer, Role::grad_output), tensor(value), {from});
    };
    const std::int64_t at_2 = arrives("layers.2", error, error_row_);
    keep_gradient(at, "layers.2", product(transposed(error), transposed(now.d.value)), {at_2, now.d.row});
    Matrix down = product(error, transposed(now.w2.value));
    std::int64_t row =
        trace.add(id(at, Pass::backward, "layers.2", Role::grad_input), tensor(down), {at_2, now.w2.row});
    row = arrives("layers.1", down, row);
    Moment drawn = at;
    drawn.recompute = o_.checkpointed;
    for (std::int64_t i = 0; i < down.rows; ++i)
      for (std::int64_t j = 0; j < down.columns; ++j) down.at(i, j) *= kept(drawn, i, j);
    row = trace.add(id(at, Pass::backward, "layers.1", Role::grad_input), tensor(down), {row, now.d.row});
    const std::int64_t at_0 = arrives("layers.0", down, row);
    keep_gradient(at, "layers.0", product(transposed(down), transposed(now.x.value)), {at_0, now.x.row});
  }

  void keep_gradient(const Moment& at, const std::string& layer, const Matrix& value, std::vector<std::int64_t> from) {
    const float share = (o_.share ? o_.share(at) : 1.F) / static_cast<float>(o_.ranks);
    shares_[layer].push_back(trace.add(id(at, Pass::backward, layer, Role::param_grad, "weight"), tensor(value), from));
    add(gradients_[layer], value, share);
  }

  void step_weights(float rate) {
    for (auto& [layer, gradient] : gradients_) add(weights_[layer], gradient, -rate);
  }

  void update(std::int64_t step) {
    Moment at{step, no_micro, 0, false};
    const float factor = o_.total_factor ? o_.total_factor(at) : 1.F;
    std::map<std::string, std::int64_t> totals;
    for (auto& [layer, gradient] : gradients_) {
      for (float& each : gradient.data) each *= factor;
      totals[layer] = each_rank(at, layer, Role::param_grad, "weight", tensor(gradient), shares_[layer]);
    }
    step_weights(0.1F);
    for (auto& [layer, total] : totals)
      updated_[layer] = each_rank(at, layer, Role::param, "weight", tensor(weights_[layer]), {total});
    float sum = 0;
    for (const float each : losses_) sum += each;
    sum /= static_cast<float>(o_.ranks);
    each_rank(at, "loss", Role::loss, "0", scalar(o_.step_loss ? o_.step_loss(at, sum) : sum), loss_rows_);
  }

  std::int64_t each_rank(Moment at, const std::string& layer, Role role, const std::string& index, const Tensor& value,
                         const std::vector<std::int64_t>& from) {
    const std::int64_t first = trace.add(id(at, Pass::update, layer, role, index), value, from);
    for (at.rank = 1; !o_.one_process && at.rank < o_.ranks; ++at.rank)
      trace.add(id(at, Pass::update, layer, role, index), value, from);
    return first;
  }

  VariantRunOptions o_;
  std::map<std::string, Matrix> weights_, gradients_;
  std::map<std::string, std::vector<std::int64_t>> shares_;
  std::map<std::string, std::int64_t> updated_;
  std::vector<float> losses_;
  std::vector<std::int64_t> loss_rows_;
  std::int64_t error_row_ = -1;
  Matrix x_, t_;
};

}  // namespace goldentrace::testing
