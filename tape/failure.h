// Exceptions of LibTorch as one line.
#pragma once

#include <exception>
#include <string>

namespace goldentrace {

// The first line of the message, without a backtrace and without a full stop.
std::string one_line(const std::exception& exception);

}  // namespace goldentrace
