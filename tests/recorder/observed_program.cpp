// A program with labels that knows nothing of goldentrace. argv[1] says how it ends.
#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <ATen/record_function.h>
#include <sys/wait.h>
#include <torch/csrc/autograd/autograd.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace {

at::Tensor layer(const at::Tensor& x, const at::Tensor& w) {
  RECORD_USER_SCOPE("linear");
  return at::linear(x, w);
}

void train_step(const at::Tensor& x, at::Tensor& w) {
  const at::Tensor loss = at::mean(at::pow(layer(x, w), 2));
  torch::autograd::backward({loss}, {});
  const at::NoGradGuard no_grad;
  w.variable_data().add_(w.grad(), -0.1);
  w.mutable_grad() = at::Tensor();
  std::printf("%.9g\n", loss.item<double>());
}

// Nothing but layers: no gradients.
int evaluate(const at::Tensor& x, const at::Tensor& w) {
  const at::NoGradGuard no_grad;
  static_cast<void>(layer(x, w));
  return 3;
}

// A step that its program gives up before the update.
int give_up(const at::Tensor& x, const at::Tensor& w, const char* where) {
  const at::Tensor loss = at::mean(at::pow(layer(x, w), 2));
  if (std::strcmp(where, "half") == 0) torch::autograd::backward({loss}, {});
  return 3;
}

}  // namespace

int main(int count, char** arguments) {
  const char* ending = count > 1 ? arguments[1] : "return";
  at::manual_seed(1);
  const at::Tensor x = at::randn({std::strcmp(ending, "batch") == 0 ? 5 : 4, 3});
  at::Tensor w = at::randn({2, 3}).set_requires_grad(true);
  for (int step = 0; step < 3; ++step) train_step(x, w);
  std::fflush(stdout);
  if (std::strcmp(ending, "fail") == 0) return 3;
  if (std::strcmp(ending, "exit") == 0) std::exit(3);
  if (std::strcmp(ending, "half") == 0) return give_up(x, w, ending);
  if (std::strcmp(ending, "forward") == 0) return give_up(x, w, ending);
  if (std::strcmp(ending, "evaluate") == 0) return evaluate(x, w);
  if (std::strcmp(ending, "throw") == 0) throw std::runtime_error("not caught");
  if (std::strcmp(ending, "wait") == 0) {
    while (true) pause();
  }
  if (std::strcmp(ending, "crash") == 0) _exit(0);
  if (std::strcmp(ending, "fork") == 0) {
    if (fork() == 0) {
      train_step(x, w);
      std::exit(0);
    }
    wait(nullptr);
    return std::system("test -z \"$LD_PRELOAD$GOLDENTRACE_OUTPUT\"") == 0 ? 0 : 4;
  }
}
