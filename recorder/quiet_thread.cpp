#include "recorder/quiet_thread.h"

#include <pthread.h>

#include <csignal>

namespace goldentrace {
namespace {

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

std::thread quiet_thread(std::function<void()> work) {
  const SignalsBlocked blocked;
  return std::thread([work = std::move(work)] {
    pthread_setname_np(pthread_self(), "goldentrace");
    work();
  });
}

}  // namespace goldentrace
