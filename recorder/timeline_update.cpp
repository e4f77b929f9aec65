// Losses, declared inputs and the optimizer's step.
#include <cstring>

#include "recorder/crossing.h"
#include "recorder/graph.h"
#include "recorder/session.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

template <typename T>
T first_element(const Contents& contents) {
  T value;
  std::memcpy(&value, contents.bytes.data(), sizeof value);
  return value;
}

double number_of(const Contents& contents) {
  switch (contents.dtype) {
    case DType::float64:
      return first_element<double>(contents);
    case DType::float32:
      return first_element<float>(contents);
    case DType::float16:
      return first_element<c10::Half>(contents);
    case DType::bfloat16:
      return first_element<c10::BFloat16>(contents);
    default:
      throw Error(ErrorCode::usage, "a loss must be floating, not " + std::string(name(contents.dtype)));
  }
}

Contents scalar_contents(DType dtype, double value) {
  Contents contents;
  contents.dtype = dtype;
  contents.copy.resize(item_size(dtype));
  const auto single = static_cast<float>(value);
  std::memcpy(contents.copy.data(), dtype == DType::float64 ? static_cast<const void*>(&value) : &single,
              contents.copy.size());
  contents.bytes = contents.copy;
  return contents;
}

}  // namespace

RecordId Timeline::update_id(const std::string& layer, Role role, const std::string& index) const {
  RecordId id;
  id.step = step_;
  id.micro = no_micro;
  id.rank = session_.rank;
  id.pass = Pass::update;
  id.layer = layer;
  id.role = role;
  id.index = index;
  return id;
}

void Timeline::say_input(const std::string& name, const at::Tensor& value) {
  const std::shared_ptr<Call> call = root();
  if (!call || !value.defined()) return;
  TensorInfo& info = session_.tensors.find(value);
  const Captured captured = session_.sink.capture(value, info.content);
  info.content = captured.content;
  Record record;
  record.id = id_in(*call, Role::input, name);
  record.position = call->take_position(Role::input);
  record.external = true;
  record.declared = true;
  info.declared = session_.sink.add(std::move(record), captured);
  if (info.declared >= 0) info.depends = {info.declared};
  session_.identify_input(name, captured.hash());
}

void Timeline::backward_begins(const at::Tensor& loss) {
  backward_seen_ = true;
  gradients_ready_ = true;
  trains_ = true;
  if (!losses_said_ && loss.defined() && loss.is_floating_point()) record_loss(loss);
}

void Timeline::say_loss(const at::Tensor& loss) {
  losses_said_ = true;
  record_loss(loss);
}

void Timeline::record_loss(const at::Tensor& loss) {
  const std::shared_ptr<Call> reader = root();
  if (!reader) return;
  TensorInfo& info = session_.tensors.find(loss);
  Crossing crossing(session_, loss, info);
  crossing.read_by(reader, ReadKind::content);
  Captured captured = session_.sink.capture(loss);
  if (captured.contents().bytes.size() != item_size(captured.dtype())) {
    throw Error(ErrorCode::usage, "a loss must have one element");
  }
  losses_.push_back({captured.dtype(), number_of(captured.contents())});
  captured.make_scalar();
  Record record;
  record.id = id_in(*reader, Role::loss, std::to_string(losses_of_micro_));
  record.id.layer = loss_layer;
  record.position = losses_of_micro_++;
  record.producers = crossing.depends(*reader);
  const std::int64_t row = session_.sink.add(std::move(record), captured);
  session_.sink.lineage().set_gradient(row, row);
  loss_rows_.push_back(row);
}

void Timeline::say_step_loss(const at::Tensor& loss) {
  if (!recording_) return;
  const Captured captured = session_.sink.capture(loss);
  step_loss_ = LossValue{captured.dtype(), number_of(captured.contents())};
}

// Without a word from the program: the losses added up one after another, in float32 unless all are float64.
void Timeline::record_step_loss() {
  if (losses_.empty() && !step_loss_) return;
  LossValue total = step_loss_.value_or(LossValue{DType::float64, 0});
  if (!step_loss_) {
    for (const LossValue& loss : losses_) total.dtype = loss.dtype == DType::float64 ? total.dtype : DType::float32;
    for (const LossValue& loss : losses_) {
      const double sum = total.value + loss.value;
      total.value =
          total.dtype == DType::float64 ? sum : static_cast<float>(total.value) + static_cast<float>(loss.value);
    }
  }
  if (total.dtype != DType::float64) total.dtype = DType::float32;
  Record record;
  record.id = update_id(std::string(loss_layer), Role::loss, "0");
  record.producers = loss_rows_;
  session_.sink.add_scalar(std::move(record), scalar_contents(total.dtype, total.value));
  losses_.clear();
  loss_rows_.clear();
  step_loss_.reset();
}

void Timeline::parameter_written() { begin_update(); }

void Timeline::begin_update() {
  if (updating_) return;
  session_.layer_check.run();
  if (recording_) record_total_gradients();
  session_.parameters.keep_alive();
  updating_ = true;
  awaits_update_ = false;
  gradients_ready_ = false;
}

void Timeline::record_total_gradients() {
  for (const auto& parameter : session_.parameters.used()) {
    const at::Tensor tensor(parameter->weak->lock());
    const at::Tensor gradient = total_gradient(tensor);
    if (!gradient.defined() || !has_plain_memory(gradient)) continue;
    Record record;
    record.id = update_id(parameter->layer, Role::param_grad, parameter->index);
    record.position = parameter->position;
    record.producers = parameter->shares;
    const Expected expected = parameter->shares.size() == 1 ? Expected::same : Expected::other;
    parameter->total_row =
        session_.sink.add(std::move(record), session_.sink.capture(gradient, parameter->gradient, expected));
    parameter->shares.clear();
  }
}

void Timeline::end_update() {
  if (!updating_) return;
  updating_ = false;
  for (const auto& parameter : session_.parameters.used()) {
    parameter->shares.clear();
    parameter->update_row = -1;
  }
  if (recording_) record_updated_parameters();
  session_.parameters.let_go();
}

void Timeline::record_updated_parameters() {
  for (const auto& parameter : session_.parameters.used()) {
    const at::Tensor tensor(parameter->weak->lock());
    if (!has_plain_memory(tensor)) continue;
    const Captured captured = session_.sink.capture(tensor, parameter->content, Expected::other);
    parameter->content = captured.content;
    Record record;
    record.id = update_id(parameter->layer, Role::param, parameter->index);
    record.position = parameter->position;
    for (const std::int64_t row : {parameter->value_row, parameter->total_row}) {
      if (row >= 0) merge(record.producers, {row});
    }
    parameter->update_row = session_.sink.add(std::move(record), captured);
    parameter->total_row = -1;
    session_.tensors.find(tensor).content = captured.content;
  }
}

}  // namespace goldentrace
