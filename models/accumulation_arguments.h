// What an accumulation loop asks of its arguments and of what its body gives; every failure is Error(usage).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace goldentrace {

// Their common leading size.
std::int64_t check_iterables(const std::vector<at::Tensor>& iterables);
void check_carried(const std::vector<at::Tensor>& carried);
// A loss, and as many carried tensors as there were, of their shapes and dtypes.
void check_result(const std::vector<at::Tensor>& result, const std::vector<at::Tensor>& carried,
                  std::int64_t iteration);

// Whether tensors are written in place, by their version counters.
class UnwrittenArguments {
 public:
  UnwrittenArguments(const std::vector<at::Tensor>& iterables, const std::vector<at::Tensor>& carried,
                     const std::vector<at::Tensor>& parameters);

  void check(std::int64_t iteration) const;  // names the first that was

 private:
  struct Watched {
    std::string name;
    at::Tensor tensor;
    std::int64_t version = 0;
  };
  void watch(const std::string& kind, const std::vector<at::Tensor>& tensors);

  std::vector<Watched> watched_;
};

}  // namespace goldentrace
