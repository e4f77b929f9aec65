// A recorder that stays on: memory flat, the file grows by the same amount every step.
#include <malloc.h>
#include <torch/csrc/autograd/autograd.h>
#include <unistd.h>

#include <fstream>

#include "tests/recorder/recording.h"

namespace goldentrace {
namespace {

using namespace testing_support;

std::size_t resident_bytes() {
  malloc_trim(0);
  std::ifstream statm("/proc/self/statm");
  std::size_t total = 0, resident = 0;
  statm >> total >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// Linear layers, momentum, a new batch every step.
class Program {
 public:
  void step(int number) {
    const at::Tensor x = wave({16, 64}, 0.01 * number + 0.2);
    const at::Tensor h = layer("first", [&] { return at::tanh(at::matmul(x, w_)); });
    const at::Tensor y = layer("second", [&] { return at::matmul(h, v_); });
    torch::autograd::backward({at::mean(at::mul(y, y))}, {});
    const at::NoGradGuard no_grad;
    update(w_, w_momentum_);
    update(v_, v_momentum_);
  }

 private:
  static void update(at::Tensor& parameter, at::Tensor& momentum) {
    momentum.mul_(0.9).add_(parameter.grad());
    parameter.add_(momentum, -0.01);
    parameter.mutable_grad() = at::Tensor();
  }

  at::Tensor w_ = wave_parameter({64, 64}, 0.37), v_ = wave_parameter({64, 64}, 0.11);
  at::Tensor w_momentum_ = at::zeros({64, 64}), v_momentum_ = at::zeros({64, 64});
};

class LongRun : public RecorderTest {};

// Case D13: 1,000 steps with sketches.
TEST_F(LongRun, MemoryIsFlatAndTheFileGrowsByTheStep) {
  RecorderOptions wanted = options();
  wanted.capture = Capture::sketch;
  const std::filesystem::path journal = wanted.output.string() + ".journal";
  std::vector<std::uintmax_t> sizes(1001);
  wanted.step_written = [&](std::int64_t step, std::uint64_t) {
    sizes[static_cast<std::size_t>(step)] = std::filesystem::file_size(journal);
  };
  Recorder recorder(wanted);
  Program program;
  std::size_t at_100 = 0, at_1000 = 0;
  for (int step = 0; step < 1000; ++step) {
    recorder.step(step);
    program.step(step);
    if (step == 100) at_100 = resident_bytes();
  }
  at_1000 = resident_bytes();
  recorder.close();
  EXPECT_LT(static_cast<double>(at_1000), 1.05 * static_cast<double>(at_100));
  const auto growth = [&](std::size_t from, std::size_t to) { return static_cast<double>(sizes[to] - sizes[from]); };
  EXPECT_GT(growth(100, 200), 0);
  EXPECT_NEAR(growth(800, 900) / growth(100, 200), 1, 0.02);
  EXPECT_NEAR(growth(100, 900) / growth(100, 200), 8, 0.1);
}

}  // namespace
}  // namespace goldentrace
