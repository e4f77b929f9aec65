#include "recorder/recorder.h"

#include <unistd.h>

#include <mutex>

#include "recorder/observer.h"
#include "recorder/session.h"
#include "traces/error.h"

namespace goldentrace {

struct Recorder::State {
  explicit State(RecorderOptions options) : session(std::make_unique<Session>(std::move(options))) {
    start_observing(*session);
  }
  // A forked child has a copy of all this, and the file is its parent's.
  ~State() {
    if (getpid() == process) {
      stop_observing(*session);
    } else {
      static_cast<void>(session.release());
    }
  }

  // Runs what the program said. A failure is kept: the program goes on.
  template <typename Work>
  void say(Work work) {
    guarded(*session, [&] { work(*session); });
  }

  // The recording is over, whatever happens.
  template <typename Seal>
  void seal(Seal seal) {
    const std::lock_guard lock(session->mutex);
    if (sealed) throw Error(ErrorCode::usage, "the recording is closed already");
    sealed = true;
    session->stopped = true;
    try {
      if (session->failure) give_up(session->failure);
      add_ending(session->ended);
      seal(*session);
    } catch (...) {
      session->sink.drop();
      throw;
    }
  }

  [[noreturn]] void give_up(const std::exception_ptr& failure) {
    try {
      std::rethrow_exception(failure);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::input_output) session->sink.keep_committed();
      throw;
    }
  }

  void add_ending(const std::string& ended) {
    Header& header = session->sink.writer().header();
    header["run.ended"] = ended;
    const std::string changes = session->level.changes(), refusals = session->level.refusals();
    if (!changes.empty()) header["capture.level_changes"] = changes;
    if (!refusals.empty()) header["recording.note.level file"] = refusals;
  }

  std::unique_ptr<Session> session;
  const pid_t process = getpid();
  bool sealed = false;
};

Recorder::Recorder(RecorderOptions options) : state_(std::make_unique<State>(std::move(options))) {}
Recorder::~Recorder() = default;

void Recorder::watch(const std::string& name, const at::Tensor& parameter) {
  state_->say([&](Session& session) { session.parameters.watch(name, parameter, Role::param); });
}

void Recorder::watch_all() {
  state_->say([&](Session& session) { session.parameters.be_complete(); });
}

void Recorder::watch_buffer(const std::string& name, const at::Tensor& buffer) {
  state_->say([&](Session& session) { session.parameters.watch(name, buffer, Role::buffer); });
}

void Recorder::step(std::int64_t number) {
  state_->say([&](Session& session) { session.timeline.say_step(number); });
}

void Recorder::micro(std::int64_t number) {
  state_->say([&](Session& session) { session.timeline.say_micro(number); });
}

void Recorder::rank(std::int32_t number) {
  state_->say([&](Session& session) { session.timeline.say_rank(number); });
}

void Recorder::input(const std::string& name, const at::Tensor& value) {
  state_->say([&](Session& session) { session.timeline.say_input(name, value); });
}

void Recorder::loss(const at::Tensor& value) {
  state_->say([&](Session& session) { session.timeline.say_loss(value); });
}

void Recorder::update() {
  state_->say([&](Session& session) { session.timeline.begin_update(); });
}

void Recorder::step_loss(const at::Tensor& value) {
  state_->say([&](Session& session) { session.timeline.say_step_loss(value); });
}

void Recorder::stop_checking() {
  state_->say([](Session& session) { session.layer_check.stop(); });
}

Header& Recorder::header() { return state_->session->sink.writer().header(); }

void Recorder::set_capture(Capture capture) {
  if (capture == Capture::check && state_->session->options.golden.empty()) {
    throw Error(ErrorCode::usage, "capture level check needs a golden");
  }
  state_->session->level.ask(capture);
}

std::int64_t Recorder::differences() const { return state_->session->sink.differences(); }

FilterEffect Recorder::filter_effect() const {
  const std::lock_guard lock(state_->session->mutex);
  FilterEffect effect = state_->session->timeline.filter_effect();
  effect.labels_left_out = state_->session->labels.left_out();
  return effect;
}

void Recorder::commit_complete_step() {
  state_->say([](Session& session) { session.timeline.finish_complete(); });
}

void Recorder::close() {
  state_->say([&](Session& session) { session.timeline.finish(); });
  stop_observing(*state_->session);
  state_->seal([](Session& session) { session.sink.close(); });
}

void Recorder::close_committed(const std::string& ended) {
  state_->seal([&](Session& session) {
    if (!session.has_ended()) session.sink.writer().header()["run.ended"] = ended;
    session.sink.close_committed();
  });
}

}  // namespace goldentrace
