// Runs a test body as several ranks: processes of this very program.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace goldentrace::testing_support {

struct RankOutcome {
  int exit_code = 0;   // 128 + number when a signal ended it
  std::string output;  // stdout and stderr together
};

// Runs the test `body` ("RankBody.DISABLED_Sum") in `ranks` processes that meet on the loopback interface, and waits.
std::vector<RankOutcome> run_ranks(std::int64_t ranks, const std::string& body);

// Every rank has passed.
bool all_passed(const std::vector<RankOutcome>& outcomes);

}  // namespace goldentrace::testing_support
