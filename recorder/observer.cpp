#include "recorder/observer.h"

#include <ATen/Parallel.h>
#include <ATen/record_function.h>
#include <pthread.h>

#include <mutex>

#include "recorder/op_observer.h"
#include "recorder/session.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

// A label that was pushed.
struct RunningLabel : at::ObserverContext {
  std::uint64_t generation = 0;
  ThreadState* thread = nullptr;
  std::size_t depth = 0;
};

std::unique_ptr<at::ObserverContext> begin_label(Session& session, const at::RecordFunction& function) noexcept {
  ThreadState& thread = thread_state(session);
  std::unique_ptr<RunningLabel> running;
  guarded(session, [&] {
    const Label label = session.labels.classify(function.name());
    if (label.kind == LabelKind::step) return session.timeline.say_step(label.number);
    if (label.kind == LabelKind::micro) return session.timeline.say_micro(label.number);
    if (label.kind == LabelKind::optimizer && session.timeline.gradients_ready()) session.timeline.begin_update();
    if (label.kind == LabelKind::unwanted) session.timeline.layer_begins();
    if (label.kind != LabelKind::layer) return;
    OpenLabel open;
    open.call = session.timeline.enter_layer(function.name(), thread);
    open.graph_task = open.call ? open.call->graph_task : -1;
    open.own = open.call != nullptr;
    running = std::make_unique<RunningLabel>();
    running->generation = session.generation;
    running->thread = &thread;
    running->depth = thread.labels.size();
    thread.labels.push_back(std::move(open));
  });
  return running;
}

void end_label(Session& session, const RunningLabel& running) noexcept {
  guarded(session, [&] {
    std::vector<OpenLabel>& labels = running.thread->labels;
    while (labels.size() > running.depth) {
      const OpenLabel open = std::move(labels.back());
      labels.pop_back();
      if (open.own) session.timeline.leave_layer(open.call);
    }
  });
}

// Null where nothing is to be seen now.
Session* seeing_session() {
  Session* session = active_session();
  return session == nullptr || session->stopped || Busy::now() || at::in_parallel_region() ? nullptr : session;
}

std::unique_ptr<at::ObserverContext> on_label_start(const at::RecordFunction& function) {
  Session* session = seeing_session();
  return session == nullptr ? nullptr : begin_label(*session, function);
}

void on_label_end(const at::RecordFunction&, at::ObserverContext* context) {
  Session* session = active_session();
  const auto* label = static_cast<RunningLabel*>(context);
  if (label == nullptr || session == nullptr || label->generation != session->generation) return;
  end_label(*session, *label);
}

std::unique_ptr<at::ObserverContext> on_start(const at::RecordFunction& function) {
  Session* session = seeing_session();
  if (session == nullptr) return nullptr;
  if (function.scope() == at::RecordScope::FUNCTION) return begin_op(*session, thread_state(*session), function);
  guarded(*session, [&] { session->gradients.node_started(function); });
  return nullptr;
}

void on_end(const at::RecordFunction& function, at::ObserverContext* context) {
  Session* session = active_session();
  auto* op = static_cast<RunningOp*>(context);
  if (op == nullptr || session == nullptr || op->generation != session->generation) return;
  end_op(*session, *op, function);
}

// A forked child shares the file with its parent: it records nothing.
void forget_in_children() {
  static const bool once = pthread_atfork(nullptr, nullptr, [] { set_active_session(nullptr); }) == 0;
  static_cast<void>(once);
}

std::mutex installing;
at::CallbackHandle labels = at::INVALID_CALLBACK_HANDLE;
at::CallbackHandle ops = at::INVALID_CALLBACK_HANDLE;

}  // namespace

void start_observing(Session& session) {
  const std::lock_guard lock(installing);
  if (active_session() != nullptr) {
    throw Error(ErrorCode::usage, "a recording is running already; close it before another one starts");
  }
  forget_in_children();
  set_active_session(&session);
  // A forked child has inherited the callbacks.
  if (ops != at::INVALID_CALLBACK_HANDLE) return at::reenableCallback(ops);
  labels = at::addGlobalCallback(
      at::RecordFunctionCallback(&on_label_start, &on_label_end).scopes({at::RecordScope::USER_SCOPE}));
  ops = at::addGlobalCallback(at::RecordFunctionCallback(&on_start, &on_end)
                                  .needsInputs(true)
                                  .needsOutputs(true)
                                  .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION}));
}

void set_sight(Sight sight) {
  const std::lock_guard lock(installing);
  if (ops == at::INVALID_CALLBACK_HANDLE) return;
  sight == Sight::everything ? at::reenableCallback(ops) : at::disableCallback(ops);
}

void stop_observing(const Session& session) {
  const std::lock_guard lock(installing);
  if (active_session() != &session) return;
  at::removeCallback(labels);
  at::removeCallback(ops);
  labels = ops = at::INVALID_CALLBACK_HANDLE;
  set_active_session(nullptr);
}

}  // namespace goldentrace
