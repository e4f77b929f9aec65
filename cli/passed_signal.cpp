#include "cli/passed_signal.h"

#include <atomic>
#include <csignal>

namespace goldentrace {
namespace {

std::atomic<int> last_signal{0}, signal_to_pass{0};

void note(int signal, siginfo_t* info, void*) {
  last_signal = signal;
  if (info->si_code == SI_USER) signal_to_pass = signal;
}

}  // namespace

struct PassedSignal::Before {
  struct sigaction interrupt {};
  struct sigaction terminate {};
};

PassedSignal::PassedSignal() : before_(std::make_unique<Before>()) {
  last_signal = signal_to_pass = 0;
  struct sigaction action {};
  action.sa_sigaction = note;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &before_->interrupt);
  sigaction(SIGTERM, &action, &before_->terminate);
}

PassedSignal::~PassedSignal() {
  sigaction(SIGINT, &before_->interrupt, nullptr);
  sigaction(SIGTERM, &before_->terminate, nullptr);
}

int PassedSignal::received() const { return last_signal; }
int PassedSignal::take() { return signal_to_pass.exchange(0); }

}  // namespace goldentrace
