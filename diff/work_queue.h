// Runs independent tasks on a few threads with a bound on the bytes that they hold at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace goldentrace {

struct WorkLimits {
  unsigned threads = 0;                            // 0: as many as the machine has, at most 8
  std::uint64_t bytes = std::uint64_t{512} << 20;  // a single task may exceed it when it runs alone
};

// Calls task(i) for every i in [0, count), in any order; `bytes_of(i)` is what that task will hold. Few or small tasks
// run on the calling thread. When tasks throw, the exception of the lowest i is thrown again after all have stopped.
void run_tasks(std::size_t count, const std::function<std::uint64_t(std::size_t)>& bytes_of,
               const std::function<void(std::size_t)>& task, WorkLimits limits = {});

}  // namespace goldentrace
