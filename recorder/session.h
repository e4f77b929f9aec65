// Everything that one recording knows. One lock guards all of it.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "recorder/gradients.h"
#include "recorder/labels.h"
#include "recorder/layer_check.h"
#include "recorder/level.h"
#include "recorder/parameters.h"
#include "recorder/random_state.h"
#include "recorder/record_sink.h"
#include "recorder/recorder.h"
#include "recorder/tensor_table.h"
#include "recorder/timeline.h"

namespace goldentrace {

// A label that is open on a thread.
struct OpenLabel {
  std::shared_ptr<Call> call;  // its own, or that of the nearest recorded label around it; null: none
  bool own = false;
  int graph_task = -1;  // backward that was running at entry
};

// Owned by the session; only its own thread touches it, except while the session is taken down.
struct ThreadState {
  std::vector<OpenLabel> labels;
  bool in_op = false;  // inside a top-level op: ops called by it are not recorded
};

struct Session {
  explicit Session(RecorderOptions given);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Adds to the identity of a declared input over the run, which the header shows.
  void identify_input(const std::string& name, const Hash128& hash);

  // Keeps the first failure; recording is over, the program goes on.
  void fail(std::exception_ptr what);

  // Recording is over as the options want it; close() seals what there is. `how` becomes header field run.ended.
  void end(std::string how);
  bool has_ended() const { return ended != "complete"; }

  const RecorderOptions options;
  const std::uint64_t generation;  // differs between recordings
  const std::int32_t rank;
  std::mutex mutex;
  std::atomic<bool> stopped{false};
  std::exception_ptr failure;
  std::string ended = "complete";
  Level level;

  Labels labels;
  RecordSink sink;
  TensorTable tensors;
  Parameters parameters;
  Gradients gradients;
  Timeline timeline;
  LayerCheck layer_check;
  RandomState random;
  std::vector<std::unique_ptr<ThreadState>> threads;
};

// The state of the calling thread in this session.
ThreadState& thread_state(Session& session);
// The same without making one; null when the thread has none. Takes no lock.
ThreadState* known_thread_state(const Session& session);

// The session that observes the process; null when none does or it has stopped.
Session* active_session();
void set_active_session(Session* session);

// Set while a thread is inside the recorder, so that nothing it does there is recorded.
class Busy {
 public:
  Busy() : before_(flag()) { flag() = true; }
  ~Busy() { flag() = before_; }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;
  static bool now() { return flag(); }

 private:
  static bool& flag();
  bool before_;
};

// Runs `work` under the session's lock and never throws: a failure stops the recording.
template <typename Work>
void guarded(Session& session, Work work) noexcept {
  if (session.stopped || Busy::now()) return;
  const Busy busy;
  const std::lock_guard lock(session.mutex);
  try {
    work();
  } catch (...) {
    session.fail(std::current_exception());
  }
}

}  // namespace goldentrace
