// Threads of the recorder inside a program of somebody else.
#pragma once

#include <functional>
#include <thread>

namespace goldentrace {

enum class Haste {
  normal,
  low,  // gives way to the program and to the other threads of the recorder
};

// Receives no signals: they stay with the threads that the program made. `work` must not throw.
std::thread quiet_thread(Haste haste, std::function<void()> work);

}  // namespace goldentrace
