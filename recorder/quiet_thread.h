// Threads of the recorder inside a program of somebody else.
#pragma once

#include <functional>
#include <thread>

namespace goldentrace {

// Receives no signals: they stay with the threads that the program made. `work` must not throw. No lower priority than
// the program's: it holds locks that the program's threads wait for.
std::thread quiet_thread(std::function<void()> work);

}  // namespace goldentrace
