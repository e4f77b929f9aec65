// The MLP of the cases: Linear(4, 8), ReLU, Linear(8, 3), weights by formula, mean squared error, SGD.
#pragma once

#include <cstdint>
#include <vector>

#include "models/events.h"
#include "models/named_tensor.h"

namespace goldentrace {

// What the loss of a micro-batch is divided by in the last, incomplete window.
enum class WindowDivisor {
  present,     // the micro-batches of this window: right
  configured,  // the window's full size: the fault of case C03
};

struct CaseMlpOptions {
  std::int64_t micro_batches = 4;  // of the whole run, all of them the same 4 rows
  std::int64_t window = 1;         // micro-batches per optimizer step; the last window may be shorter
  WindowDivisor divisor = WindowDivisor::present;
  double lr = 0.1;
};

struct CaseMlpResult {
  std::vector<double> losses;  // one per optimizer step: the sum of its divided micro losses
  NamedTensors parameters;     // layers.{0,2}.{weight,bias} after training
};

// Labels layers.0, layers.1, layers.2, loss.
CaseMlpResult train_case_mlp(const CaseMlpOptions& options, const Events& events = {});

}  // namespace goldentrace
