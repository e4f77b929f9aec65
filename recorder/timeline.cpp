#include "recorder/timeline.h"

#include <ATen/SequenceNumber.h>
#include <ATen/core/grad_mode.h>
#include <ATen/record_function.h>
#include <torch/csrc/autograd/graph_task.h>

#include <algorithm>

#include "recorder/crossing.h"
#include "recorder/observer.h"
#include "recorder/session.h"

namespace goldentrace {
namespace {

// A tape is written once, when the step ends, unless so many wait: programs without steps have one long one.
constexpr std::size_t waiting_tapes = 1024;

}  // namespace

Timeline::Timeline(Session& session) : session_(session), rank_(session.rank), level_(session.level.begin_step(0)) {
  session_.sink.set_level(level_);
  recording_ = wanted(0);
}

RecordId Timeline::id_in(const Call& call, Role role, std::string index) const {
  RecordId id;
  id.step = call.facts.step;
  id.micro = call.facts.micro;
  id.rank = call.facts.rank;
  const bool gradient = role == Role::grad_output || role == Role::grad_input || role == Role::param_grad;
  id.pass = gradient ? Pass::backward : call.facts.pass;
  id.layer = call.facts.layer;
  id.call = call.facts.call;
  id.role = role;
  id.index = std::move(index);
  return id;
}

bool Timeline::wanted(std::int64_t step) const {
  if (session_.stopped || level_ == Capture::off) return false;
  const auto& steps = session_.options.steps;
  return steps.empty() || std::find(steps.begin(), steps.end(), step) != steps.end();
}

void Timeline::say_step(std::int64_t number) {
  steps_said_ = true;
  if (!layer_seen_) forget_start();
  layer_seen_ || number != step_ ? begin_step(number) : look();
}

void Timeline::say_micro(std::int64_t number) {
  micros_said_ = true;
  if (number == micro_ && entries_.empty()) return;
  end_micro();
  micro_ = number;
}

void Timeline::say_rank(std::int32_t number) {
  if (number == rank_) return;
  end_micro();
  rank_ = number;
}

void Timeline::begin_step(std::int64_t number) {
  end_step();
  step_ = number;
  micro_ = 0;
  rank_ = session_.rank;
  awaits_update_ = false;
  level_ = session_.level.begin_step(number);
  session_.sink.set_level(level_);
  recording_ = wanted(number);
  look();
}

// Where the program says its steps, nothing has to be seen of those that are not recorded. What they made and wrote is
// not known then: in the next one that is, every tensor is new.
void Timeline::look() {
  const bool blind = steps_said_ && !recording_;
  if (blind == blind_) return;
  blind_ = blind;
  set_sight(blind ? Sight::labels : Sight::everything);
  if (blind) return;
  session_.tensors.forget_all();
  session_.parameters.forget_rows();
}

void Timeline::end_step() {
  end_update();
  end_micro();
  record_step_loss();
  if (update_root_) {
    write_tape(*update_root_);
    update_root_->release();
  }
  update_root_ = nullptr;
  release_calls();
  session_.parameters.forget_gone();
  if (!recording_) return;
  session_.sink.commit_step(step_);
  stop_if_enough();
}

void Timeline::stop_if_enough() {
  const std::int64_t differences = session_.sink.differences();
  if (session_.options.stop_after == 0 || differences < session_.options.stop_after) return;
  session_.end("stopped after " + std::to_string(differences) + " differences");
  if (session_.options.stopped) session_.options.stopped(differences);
}

void Timeline::end_micro() {
  session_.layer_check.run();
  if (root_) {
    root_->open = false;
    write_tape(*root_);
    root_->release();
  }
  root_ = nullptr;
  entries_.clear();
  backward_seen_ = false;
  losses_of_micro_ = 0;
  session_.gradients.forget_gone();
}

void Timeline::release_calls() {
  write_tapes();
  std::vector<std::weak_ptr<Call>> open;
  for (const std::weak_ptr<Call>& each : calls_of_step_) {
    const auto call = each.lock();
    if (call && call->open) open.push_back(each);
    if (call && !call->open) call->release();
  }
  calls_of_step_ = std::move(open);
}

void Timeline::finish() { end_step(); }

void Timeline::finish_complete() {
  if (is_complete()) end_step();
}

bool Timeline::is_complete() const {
  const bool inside = std::any_of(calls_of_step_.begin(), calls_of_step_.end(), [](const std::weak_ptr<Call>& each) {
    const auto call = each.lock();
    return call && call->open;
  });
  return !inside && !(trains_ && awaits_update_);
}

// What a program did before its first layer is set-up, no part of a micro-batch.
void Timeline::forget_start() { root_ = nullptr; }

std::shared_ptr<Call> Timeline::make_root(Pass pass, std::int64_t micro) const {
  auto call = std::make_shared<Call>();
  call->facts.step = step_;
  call->facts.micro = micro;
  call->facts.rank = pass == Pass::update ? session_.rank : rank_;
  call->facts.pass = pass;
  call->facts.layer = root_layer;
  call->root = true;
  call->taped = session_.labels.wants_root();
  call->log = std::make_shared<OpLog>();
  call->ops_begin = 0;
  return call;
}

std::shared_ptr<Call> Timeline::root() {
  if (!recording_) return nullptr;
  std::shared_ptr<Call>& call = updating_ ? update_root_ : root_;
  if (!call) call = updating_ ? make_root(Pass::update, no_micro) : make_root(Pass::forward, micro_);
  return call;
}

std::shared_ptr<Call> Timeline::enter_layer(const std::string& layer, ThreadState& thread) {
  const int task = torch::autograd::get_current_graph_task_id();
  layer_begins();
  if (!recording_) return nullptr;
  filter_effect_.recorded = true;
  auto call = std::make_shared<Call>();
  LayerCall& facts = call->facts;
  facts.step = step_;
  facts.micro = micro_;
  facts.rank = rank_;
  facts.pass = task < 0 ? Pass::forward : Pass::recompute;
  facts.layer = layer;
  facts.call = entries_[{facts.pass, layer}]++;
  if (!thread.labels.empty()) call->parent = thread.labels.back().call;
  call->depth = call->parent ? call->parent->depth + 1 : 0;
  const bool inner = call->parent && !call->parent->abandoned && !call->parent->log->is_full();
  call->log = inner ? call->parent->log : std::make_shared<OpLog>();
  call->ops_begin = call->log->ops.size();
  call->graph_task = task;
  call->thread = at::RecordFunction::currentThreadId();
  call->sequence_begin = at::sequence_number::peek();
  facts.parent = call->parent ? call->parent->row : -1;
  facts.random = session_.random.at_entry(session_.sink.writer());
  call->row = session_.sink.writer().add_call(facts);
  calls_.push_back(call);
  calls_of_step_.push_back(call);
  session_.layer_check.entered(call);
  return call;
}

void Timeline::layer_begins() {
  if (torch::autograd::get_current_graph_task_id() >= 0) return;
  session_.gradients.drop_broken_tasks();
  if (backward_seen_) session_.layer_check.run();
  if (!layer_seen_) {
    forget_start();
    if (session_.options.first_layer) session_.options.first_layer();
  }
  layer_seen_ = true;
  if (updating_) {
    steps_said_ ? end_update() : begin_step(step_ + 1);
  } else if (backward_seen_ && !micros_said_) {
    const std::int64_t next = micro_ + 1;
    end_micro();
    micro_ = next;
  }
  awaits_update_ |= at::GradMode::is_enabled();
  if (filter_effect_.last_step < filter_effect_.first_step) filter_effect_.first_step = step_;
  filter_effect_.last_step = step_;
  filter_effect_.recorded |= recording_ && session_.labels.wants_root() && !session_.options.layers.empty();
}

void Timeline::leave_layer(const std::shared_ptr<Call>& call) {
  call->open = false;
  call->ops_end = call->log->ops.size();
  call->sequence_end = at::sequence_number::peek();
  if (!call->owns_log()) return;
  leave_unread(*call);
  if (calls_.size() > waiting_tapes) write_tapes();
}

void Timeline::abandon_open_labels() {
  const ThreadState* thread = known_thread_state(session_);
  if (thread == nullptr) return;
  for (const OpenLabel& label : thread->labels) {
    if (!label.own || label.graph_task >= 0) continue;
    label.call->mark_unsupported("a backward ran inside it");
    label.call->abandoned = true;
  }
}

// Tensors made inside an outermost label that are alive and were read by nothing: results first, then what was written
// in place.
void Timeline::leave_unread(const Call& call) {
  for (const bool written : {false, true}) {
    for (std::size_t i = 0; i < call.log->values.size(); ++i) {
      const LogValue value = call.log->values[i];
      if (value.made_at >= 0 && call.externals.contains(value.uid) == written) leave_if_unread(call, value);
    }
  }
}

void Timeline::leave_if_unread(const Call& call, const LogValue& value) {
  const TensorInfo* known = session_.tensors.find_known(value.tensor);
  const at::Tensor tensor = known == nullptr || known->uid != value.uid ? at::Tensor() : known->lock();
  if (!tensor.defined()) return;
  TensorInfo& info = session_.tensors.find(tensor);
  if (info.uid != value.uid || info.read || !encloses(&call, info.maker.get())) return;
  session_.gradients.look_for_unseen_node(info, tensor);
  Crossing(session_, tensor, info).leave();
}

void Timeline::amend(Call& call) {
  if (call.tape_written && !call.released) write_tape(call);
}

// Those of labels that are still open wait on.
void Timeline::write_tapes() {
  std::erase_if(calls_, [&](const std::shared_ptr<Call>& call) {
    if (!call->open) write_tape(*call);
    return !call->open;
  });
}

void Timeline::write_tape(Call& call) {
  if (!call.taped || (call.root && call.log->ops.empty())) return;
  if (call.root) call.row = session_.sink.writer().add_call(call.facts);
  session_.sink.writer().set_tape(call.row, tapes_.number_of(call, session_.sink.writer()));
  call.tape_written = true;
}

}  // namespace goldentrace
