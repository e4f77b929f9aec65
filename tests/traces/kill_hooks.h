// Ends the process with SIGKILL at a chosen place: in the middle of a write, around a rename or removal, within a
// compression. The functions of the system and of Zstandard that the trace writer calls are taken over by this program.
#pragma once

#include <atomic>
#include <cstdint>

namespace goldentrace::testing_support {

enum class KillPlace : int { nowhere, append, compression, seal_write, sync, rename, removal };

struct KillPlan {
  KillPlace place = KillPlace::nowhere;
  std::uint64_t call = 0;      // the call that is not survived, from 0
  std::uint64_t fraction = 0;  // append, seal_write: of 1024, how much is written; compression: microseconds
};

// Of this process; set before the first write, which belongs to no seal.
void plan_kill(const KillPlan& plan);
void say_sealing();  // from now on writes belong to the seal

}  // namespace goldentrace::testing_support
