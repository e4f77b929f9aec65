#include "models/cpu_random.h"

#include <ATen/CPUGeneratorImpl.h>

#include <mutex>

namespace goldentrace {
namespace {

// Runs work(generator) under the generator's lock.
auto locked(const auto& work) {
  at::Generator generator = at::detail::getDefaultCPUGenerator();
  const std::lock_guard lock(generator.mutex());
  return work(generator);
}

}  // namespace

at::Tensor cpu_random_state() {
  return locked([](at::Generator& generator) { return generator.get_state(); });
}

void set_cpu_random_state(const at::Tensor& state) {
  locked([&](at::Generator& generator) { generator.set_state(state); });
}

void seed_cpu_random(std::uint64_t seed) {
  locked([&](at::Generator& generator) { generator.set_current_seed(seed); });
}

std::uint64_t draw_cpu_random() {
  return locked(
      [](at::Generator& generator) { return at::check_generator<at::CPUGeneratorImpl>(generator)->random64(); });
}

}  // namespace goldentrace
