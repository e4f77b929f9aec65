#include "models/iteration_seeds.h"

#include <cstring>

#include "models/cpu_random.h"

namespace goldentrace {
namespace {

bool are_equal(const at::Tensor& a, const at::Tensor& b) {
  return std::memcmp(a.const_data_ptr(), b.const_data_ptr(), a.nbytes()) == 0;
}

}  // namespace

IterationSeeds::IterationSeeds(std::int64_t iterations) : before_(cpu_random_state()) {
  for (std::int64_t i = 0; i < iterations; ++i) seeds_.push_back(draw_cpu_random());
  behind_ = cpu_random_state();
}

IterationSeeds::~IterationSeeds() { set_cpu_random_state(used_ ? behind_ : before_); }

void IterationSeeds::begin(std::int64_t iteration) {
  seed_cpu_random(seeds_[static_cast<std::size_t>(iteration)]);
  seeded_ = cpu_random_state();
}

void IterationSeeds::end() { used_ = used_ || !are_equal(cpu_random_state(), seeded_); }

}  // namespace goldentrace
