// Runs another program in the foreground.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace goldentrace {

struct ChildResult {
  int exit_code = 0;
  int signal = 0;    // that ended the program; 0: it ended by itself
  int received = 0;  // SIGINT or SIGTERM that this process got meanwhile; 0: none
};

enum class ChildOutput {
  shared,     // the program writes to our stdout
  to_stderr,  // what it writes to its stdout goes to our stderr
};

// Starts `command` (found by PATH) with our standard streams and our environment plus `environment`, and waits for it.
// SIGINT and SIGTERM sent to this process are passed on; those that the terminal sends reach the program by itself.
// Error(not_found, input_output) when it cannot be started. One child at a time.
ChildResult run_child(const std::vector<std::string>& command, const std::map<std::string, std::string>& environment,
                      ChildOutput output = ChildOutput::shared);

}  // namespace goldentrace
