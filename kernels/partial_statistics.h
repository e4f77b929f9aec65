// Statistics of a part of a tensor.
#pragma once

#include <cstdint>

#include "kernels/host_device.h"

namespace goldentrace {

// Over the finite elements. Everything but the two sums is independent of the order in which parts are added.
struct PartialStatistics {
  double sum = 0;
  double squares = 0;
  double min = 0;  // meaningless while `finite` is 0
  double max = 0;
  std::uint64_t finite = 0;
  std::uint64_t nan = 0;
  std::uint64_t infinite = 0;
  std::uint64_t zero = 0;
};

GOLDENTRACE_HD void add(PartialStatistics& total, const PartialStatistics& part) {
  if (part.finite > 0) {
    total.min = total.finite > 0 && total.min < part.min ? total.min : part.min;
    total.max = total.finite > 0 && total.max > part.max ? total.max : part.max;
  }
  total.sum += part.sum;
  total.squares += part.squares;
  total.finite += part.finite;
  total.nan += part.nan;
  total.infinite += part.infinite;
  total.zero += part.zero;
}

}  // namespace goldentrace
