// SIGINT and SIGTERM as something that a training loop can notice.
#pragma once

#include <exception>
#include <string>

namespace goldentrace {

// Thrown where a signal is noticed; not an Error, because what was recorded so far is still to be sealed.
struct Interrupted : std::exception {
  explicit Interrupted(int number) : signal(number) {}
  const char* what() const noexcept override { return "interrupted by a signal"; }

  int signal;
};

// From now on the first SIGINT or SIGTERM is remembered; a second one ends the process at once.
void watch_signals();

int received_signal();        // 0: none yet
void throw_if_interrupted();  // Interrupted

std::string signal_name(int signal);  // "SIGINT"

}  // namespace goldentrace
