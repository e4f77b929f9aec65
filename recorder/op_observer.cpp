#include "recorder/op_observer.h"

#include <ATen/SequenceNumber.h>
#include <ATen/autocast_mode.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/autograd/graph_task.h>

#include <exception>

#include "recorder/crossing.h"
#include "tape/dtypes.h"
#include "tape/ivalue.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

bool is_taped(const Call& call) { return call.taped && !call.abandoned && !call.log->is_full(); }

template <typename Visit>
void for_each_tensor(const c10::IValue& value, const Visit& visit) {
  if (value.isTensor()) {
    const at::Tensor& tensor = value.toTensor();
    if (tensor.defined() && !tensor.unsafeGetTensorImpl()->is_wrapped_number()) visit(tensor);
  } else if (value.isTensorList() || value.isOptionalTensorList() || value.isList()) {
    for (const c10::IValue& item : value.toListRef()) for_each_tensor(item, visit);
  }
}

std::uint32_t version_of(const at::Tensor& tensor) {
  return tensor.is_inference() ? 0 : tensor.unsafeGetTensorImpl()->version_counter().current_version();
}

bool is_true(c10::ArrayRef<const c10::IValue> inputs, std::ptrdiff_t number) {
  return number >= 0 && static_cast<std::size_t>(number) < inputs.size() && inputs[number].isBool() &&
         inputs[number].toBool();
}

// The start of one op: which tensors it reads, what crosses a border, how it is written down.
class OpBegin {
 public:
  OpBegin(Session& session, RunningOp& running, const at::RecordFunction& function)
      : session_(session), running_(running), function_(function) {}

  void run() {
    gather();
    if (writes_parameter()) session_.timeline.parameter_written();
    running_.reader = reader();
    for (OpArgument& argument : running_.arguments) read(argument);
    if (on_tape()) write_down();
    running_.first_node = at::sequence_number::peek();
  }

 private:
  bool on_tape() const { return running_.reader && is_taped(*running_.reader) && !running_.traits->unfilled; }

  std::shared_ptr<Call> reader() {
    const auto& labels = running_.thread->labels;
    return labels.empty() || !labels.back().call ? session_.timeline.root() : labels.back().call;
  }

  void gather() {
    const auto inputs = function_.inputs();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      ArgumentTraits traits;
      if (i < running_.traits->arguments.size()) traits = running_.traits->arguments[i];
      const bool written = traits.written || is_true(inputs, traits.written_if);
      for_each_tensor(inputs[i], [&](const at::Tensor& tensor) {
        running_.arguments.push_back(
            {tensor, 0, written, traits.overwritten, traits.viewed, version_of(tensor), nullptr});
      });
    }
  }

  bool writes_parameter() const {
    if (!session_.timeline.gradients_ready()) return false;
    for (const OpArgument& argument : running_.arguments) {
      if (argument.written && session_.parameters.owner_of_memory(argument.tensor) != nullptr) return true;
    }
    return false;
  }

  void read(OpArgument& argument) {
    TensorInfo& info = session_.tensors.find(argument.tensor);
    if (info.storage) info.storage->seen = true;
    argument.uid = info.uid;
    argument.maker = info.maker;
    if (info.maker && info.made) session_.gradients.look_for_unseen_node(info, argument.tensor);
    const ReadKind kind = argument.overwritten ? ReadKind::overwrite
                          : argument.viewed    ? ReadKind::view
                                               : ReadKind::content;
    if (argument.tensor.is_leaf() && argument.tensor.requires_grad()) note_parameter(argument.tensor, info);
    Crossing crossing(session_, argument.tensor, info);
    crossing.read_by(running_.reader, kind);
    if (running_.reader && kind != ReadKind::overwrite) merge(running_.depends, crossing.depends(*running_.reader));
  }

  // Also in steps that are not recorded: writing it is what ends a step.
  void note_parameter(const at::Tensor& tensor, const TensorInfo& info) {
    const bool again = torch::autograd::get_current_graph_task_id() >= 0;
    session_.parameters.of(tensor, info, again ? Pass::recompute : Pass::forward);
  }

  // The tensor's number in the log of the reader.
  ValueIndex number_of(const at::Tensor& tensor) {
    return running_.reader->log->number_of(session_.tensors.find(tensor).uid);
  }

  void write_down() {
    TapeOp& op = running_.op;
    op.name = running_.traits->name;
    op.overload = running_.traits->overload;
    op.label = running_.reader->facts.layer;
    op.grad_mode = c10::GradMode::is_enabled();
    op.inference_mode = c10::InferenceMode::is_enabled();
    if (at::autocast::is_autocast_enabled(at::kCPU)) op.autocast = to_dtype(at::autocast::get_autocast_dtype(at::kCPU));
    running_.unsupported = running_.traits->refusal;
    try {
      for (const c10::IValue& input : function_.inputs()) {
        op.arguments.push_back(encode(input, [this](const at::Tensor& tensor) { return number_of(tensor); }));
      }
    } catch (const Error& error) {
      running_.unsupported = op.name + ": " + error.what();
    }
  }

  Session& session_;
  RunningOp& running_;
  const at::RecordFunction& function_;
};

// The end of one op: what it made.
class OpEnd {
 public:
  OpEnd(Session& session, RunningOp& running, const at::RecordFunction& function)
      : session_(session), running_(running), function_(function), reader_(running.reader) {}

  void run() {
    if (reader_ && reader_->facts.pass == Pass::update) running_.depends.clear();
    for (const OpArgument& argument : running_.arguments) note_write(argument);
    for (const c10::IValue& output : function_.outputs()) {
      for_each_tensor(output, [&](const at::Tensor& tensor) { note_result(tensor); });
    }
    if (!reader_) return;
    if (is_taped(*reader_) && !running_.traits->unfilled) append();
    follow_graph();
  }

 private:
  void note_write(const OpArgument& argument) {
    if (!argument.written && version_of(argument.tensor) == argument.version) return;
    const at::Tensor& tensor = argument.tensor;
    const bool whole = tensor.unsafeGetTensorImpl()->has_storage() && argument.overwritten &&
                       tensor.storage().nbytes() == static_cast<std::size_t>(tensor.numel()) * tensor.element_size();
    TensorInfo& info = session_.tensors.find(tensor);
    session_.tensors.written(info, reader_, running_.depends, whole ? Written::whole : Written::part);
    info.node = present_node(tensor);
    note_value(tensor, info);
    written_.push_back(tensor.unsafeGetTensorImpl());
  }

  void note_result(const at::Tensor& tensor) {
    results_.push_back(tensor);
    TensorInfo& info = session_.tensors.find(tensor);
    if (running_.traits->unfilled) {
      info.unfilled = true;
      if (info.storage) info.storage->seen = true;
      return;
    }
    const bool in_place = std::find(written_.begin(), written_.end(), tensor.unsafeGetTensorImpl()) != written_.end();
    if (!in_place) session_.tensors.made(info, reader_, running_.depends);
    info.node = present_node(tensor);
    note_value(tensor, info);
  }

  void note_value(const at::Tensor& tensor, const TensorInfo& info) {
    if (!reader_ || !is_taped(*reader_)) return;
    OpLog& log = *reader_->log;
    LogValue& value = log.values[static_cast<std::size_t>(log.number_of(info.uid))];
    value.made_at = static_cast<std::int64_t>(log.ops.size());
    value.tensor = tensor.unsafeGetTensorImpl();
  }

  void append() {
    OpLog& log = *reader_->log;
    try {
      for (const c10::IValue& output : function_.outputs()) {
        running_.op.results.push_back(encode(output, [this, &log](const at::Tensor& tensor) {
          return log.number_of(session_.tensors.find(tensor).uid);
        }));
      }
    } catch (const Error& error) {
      running_.unsupported = running_.op.name + ": " + error.what();
    }
    if (!running_.unsupported.empty()) refuse(running_.unsupported);
    if (session_.options.ops) record_results();
    log.ops.push_back(std::move(running_.op));
    if (log.is_full()) refuse("more than " + std::to_string(OpLog::longest) + " ops");
  }

  void refuse(const std::string& why) {
    for (Call* call = reader_.get(); call != nullptr; call = call->parent.get()) call->mark_unsupported(why);
  }

  void record_results() {
    const std::string ordinal = std::to_string(reader_->log->ops.size() - reader_->ops_begin) + '.';
    for (std::size_t i = 0; i < results_.size(); ++i) {
      if (!has_plain_memory(results_[i])) continue;
      Record record;
      record.id = session_.timeline.id_in(*reader_, Role::op_output, ordinal + std::to_string(i));
      record.position = reader_->take_position(Role::op_output);
      record.producers = running_.depends;
      session_.sink.add_op_output(std::move(record), results_[i]);
    }
  }

  void follow_graph() {
    const NodeRange made{at::RecordFunction::currentThreadId(), running_.first_node, at::sequence_number::peek()};
    if (!reader_->root) session_.gradients.op_finished(reader_, running_.arguments, results_, made);
    session_.gradients.note_loss_candidates(results_);
  }

  Session& session_;
  RunningOp& running_;
  const at::RecordFunction& function_;
  const std::shared_ptr<Call>& reader_;
  std::vector<at::Tensor> results_;
  std::vector<const c10::TensorImpl*> written_;
};

// An op of a backward belongs to a layer only when that layer was entered in the same backward.
bool is_followed(const ThreadState& thread) {
  const int task = torch::autograd::get_current_graph_task_id();
  return task == (thread.labels.empty() ? -1 : thread.labels.back().graph_task);
}

}  // namespace

std::unique_ptr<RunningOp> begin_op(Session& session, ThreadState& thread,
                                    const at::RecordFunction& function) noexcept {
  if (thread.in_op || session.stopped || Busy::now() || !is_followed(thread)) return nullptr;
  std::unique_ptr<RunningOp> running;
  guarded(session, [&] {
    const OpTraits* traits = op_traits(function);
    if (traits == nullptr) return;
    running = std::make_unique<RunningOp>();
    running->generation = session.generation;
    running->thread = &thread;
    running->traits = traits;
    running->exceptions = std::uncaught_exceptions();
    thread.in_op = true;
    OpBegin(session, *running, function).run();
  });
  return running;
}

void end_op(Session& session, RunningOp& running, const at::RecordFunction& function) noexcept {
  running.thread->in_op = false;
  if (std::uncaught_exceptions() > running.exceptions) return;  // the op threw: it did nothing
  guarded(session, [&] {
    OpEnd(session, running, function).run();
    session.tensors.sweep();
  });
}

}  // namespace goldentrace
