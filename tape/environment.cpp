#include "tape/environment.h"

#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <torch/version.h>

namespace goldentrace {
namespace {

std::string instruction_sets() {
  std::string text;
#if defined(__x86_64__)
  const auto add = [&](bool present, const char* feature) {
    if (present) text += std::string(" ") + feature;
  };
  __builtin_cpu_init();
  add(__builtin_cpu_is("intel"), "intel");
  add(__builtin_cpu_is("amd"), "amd");
  add(__builtin_cpu_supports("avx2"), "avx2");
  add(__builtin_cpu_supports("fma"), "fma");
  add(__builtin_cpu_supports("avx512f"), "avx512f");
  add(__builtin_cpu_supports("avx512vnni"), "avx512vnni");
  add(__builtin_cpu_supports("avx512bf16"), "avx512bf16");
  add(__builtin_cpu_supports("amx-bf16"), "amx-bf16");
#endif
  return text;
}

}  // namespace

std::string cpu_features() { return at::get_cpu_capability() + ";" + instruction_sets(); }

std::string torch_version() { return TORCH_VERSION; }

ThreadCount::ThreadCount(int threads) : before_(at::get_num_threads()) {
  if (threads != before_) at::set_num_threads(threads);
}

ThreadCount::~ThreadCount() {
  if (at::get_num_threads() != before_) at::set_num_threads(before_);
}

int thread_count() { return at::get_num_threads(); }

}  // namespace goldentrace
