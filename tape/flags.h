// Global switches of LibTorch that change results.
#pragma once

#include <string>

#include "traces/header.h"

namespace goldentrace {

// Sets the switches that a header names (torch.deterministic, torch.float32_matmul_precision, torch.mkldnn) for a
// scope; others stay. Unknown values are ignored.
class TorchFlags {
 public:
  explicit TorchFlags(const Header& header);
  ~TorchFlags();
  TorchFlags(const TorchFlags&) = delete;
  TorchFlags& operator=(const TorchFlags&) = delete;

 private:
  Header before_;
};

// The present switches under the same names.
Header torch_flags();

}  // namespace goldentrace
