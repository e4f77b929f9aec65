#include "cli/interrupt.h"

#include <csignal>
#include <cstring>

namespace goldentrace {
namespace {

volatile std::sig_atomic_t received = 0;

void remember(int signal) { received = signal; }

void watch(int signal) {
  struct sigaction action {};
  action.sa_handler = remember;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

}  // namespace

void watch_signals() {
  received = 0;
  watch(SIGINT);
  watch(SIGTERM);
}

int received_signal() { return received; }

void throw_if_interrupted() {
  if (received != 0) throw Interrupted(received);
}

std::string signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  return name ? std::string("SIG") + name : "signal " + std::to_string(signal);
}

}  // namespace goldentrace
