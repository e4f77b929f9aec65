// What results depend on besides tape and inputs: the CPU's instruction sets, the version of LibTorch, threads.
#pragma once

#include <string>

namespace goldentrace {

// "AVX512; avx2 fma avx512f …": the set that LibTorch's own kernels were chosen for, then the features that the
// libraries below it choose by. For the header's cpu.features.
std::string cpu_features();
std::string torch_version();  // "2.11.0", for the header's torch.version

// Sets the number of threads inside ops; the number before is put back at the end of the scope.
class ThreadCount {
 public:
  explicit ThreadCount(int threads);
  ~ThreadCount();
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;

 private:
  int before_;
};
int thread_count();

}  // namespace goldentrace
