// What is known of the bytes of a tensor: their hash at once, statistics and sketch when a worker has been through
// them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "traces/dtype.h"
#include "traces/fingerprint.h"

namespace goldentrace {

// Shared by all records of equal content. Any thread, except where said otherwise.
class Content {
 public:
  Content(DType dtype, std::size_t bytes, Hash128 hash) : dtype(dtype), bytes(bytes), hash(hash) {}

  const DType dtype;
  const std::size_t bytes;
  const Hash128 hash;

  // For the thread that captures: jobs run in the order in which they were pushed, so that a later one may count on
  // what an earlier one does.
  bool promised = false;  // a job that fills the fingerprint was pushed
  bool stored = false;    // a job that puts the payload was pushed

  // True for one caller, who fills then.
  bool claim() { return !claimed_.exchange(true, std::memory_order_acq_rel); }
  void fill(Fingerprint fingerprint) {
    fingerprint_ = std::move(fingerprint);
    state_.store(State::filled, std::memory_order_release);
    state_.notify_all();
  }
  // Nobody will fill it: those who wait go on. Nothing when it is filled.
  void give_up() {
    State open = State::open;
    if (state_.compare_exchange_strong(open, State::given_up, std::memory_order_acq_rel)) state_.notify_all();
    set_in_file();
  }
  // Waits until it is filled; null when nobody will.
  const Fingerprint* wait() const {
    state_.wait(State::open, std::memory_order_acquire);
    return state_.load(std::memory_order_acquire) == State::filled ? &fingerprint_ : nullptr;
  }

  // The payload is in the file, or nobody will put it there.
  void set_in_file() {
    in_file_.store(true, std::memory_order_release);
    in_file_.notify_all();
  }
  void wait_until_in_file() const { in_file_.wait(false, std::memory_order_acquire); }

 private:
  enum class State : std::uint8_t { open, filled, given_up };

  std::atomic<bool> claimed_{false};
  std::atomic<State> state_{State::open};
  std::atomic<bool> in_file_{false};
  Fingerprint fingerprint_;
};

}  // namespace goldentrace
