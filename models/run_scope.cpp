#include "models/run_scope.h"

#include <ATen/Parallel.h>

namespace goldentrace {
namespace {

void set_threads(int threads) {
  if (threads > 0 && threads != at::get_num_threads()) at::set_num_threads(threads);
}

}  // namespace

RunScope::RunScope(std::uint64_t seed, int threads) : threads_(at::get_num_threads()) {
  seed_cpu_random(seed);
  set_threads(threads);
}

RunScope::~RunScope() { set_threads(threads_); }

}  // namespace goldentrace
