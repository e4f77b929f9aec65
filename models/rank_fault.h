// Deliberate mistakes of one rank of a model, for tests of what a comparison of its records says.
#pragma once

#include <string>

namespace goldentrace {

struct RankFault {
  std::string left_out;     // the label of a reduction after which this rank goes on with its own part
  std::string repeated;     // the label of a reduction that is made twice; on all ranks or on none
  bool stale_seed = false;  // attention dropout draws what tensor rank 0 draws
};

}  // namespace goldentrace
