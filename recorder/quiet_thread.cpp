#include "recorder/quiet_thread.h"

#include <pthread.h>
#include <sys/resource.h>

#include <csignal>

namespace goldentrace {
namespace {

constexpr int low_priority = 5;  // nice

// All signals are blocked while it lives; new threads inherit that.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

std::thread quiet_thread(Haste haste, std::function<void()> work) {
  const SignalsBlocked blocked;
  return std::thread([haste, work = std::move(work)] {
    pthread_setname_np(pthread_self(), "goldentrace");
    // On Linux this is the thread alone.
    if (haste == Haste::low) setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + low_priority);
    work();
  });
}

}  // namespace goldentrace
