// How an error reaches people and scripts.
#pragma once

#include <string>

#include "traces/error.h"

namespace goldentrace {

struct ErrorReport {
  std::string program;  // "gtrace", "gtrace record"
  bool json = false;    // also a document on stdout

  // One line on stderr. Does not throw.
  void print(const Error& error) const noexcept;
};

}  // namespace goldentrace
