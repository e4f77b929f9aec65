// The CPU generator's state, taken and given back.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace goldentrace {

at::Tensor cpu_random_state();  // a copy
void set_cpu_random_state(const at::Tensor& state);
void seed_cpu_random(std::uint64_t seed);
std::uint64_t draw_cpu_random();  // any 64 bits

// Gives back at its end the state that it found.
class RandomScope {
 public:
  RandomScope() : before_(cpu_random_state()) {}
  ~RandomScope() { set_cpu_random_state(before_); }
  RandomScope(const RandomScope&) = delete;
  RandomScope& operator=(const RandomScope&) = delete;

 private:
  at::Tensor before_;
};

}  // namespace goldentrace
