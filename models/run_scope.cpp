#include "models/run_scope.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>

#include <mutex>

namespace goldentrace {
namespace {

void set_threads(int threads) {
  if (threads > 0 && threads != at::get_num_threads()) at::set_num_threads(threads);
}

}  // namespace

RunScope::RunScope(std::uint64_t seed, int threads) : threads_(at::get_num_threads()) {
  at::Generator generator = at::detail::getDefaultCPUGenerator();
  const std::lock_guard lock(generator.mutex());
  generator_state_ = generator.get_state();
  generator.set_current_seed(seed);
  set_threads(threads);
}

RunScope::~RunScope() {
  at::Generator generator = at::detail::getDefaultCPUGenerator();
  const std::lock_guard lock(generator.mutex());
  generator.set_state(generator_state_);
  set_threads(threads_);
}

}  // namespace goldentrace
