// The exit codes that scripts and CI rely on.
#pragma once

namespace goldentrace {

enum class ExitCode : int {
  same = 0,      // same within the gate, or done
  diverged = 1,  // compared and not the same
  trouble = 2,   // cannot compare, bad input, wrong usage, interrupted
};

}  // namespace goldentrace
