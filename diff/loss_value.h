// Losses of a trace as numbers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "diff/trace_view.h"

namespace goldentrace {

// The only element of a record; nothing where it has more, or no content is there.
std::optional<double> number_of(const TraceView& trace, std::int64_t row);

struct ShardLoss {
  std::int64_t micro = 0;
  std::int32_t rank = 0;
  double loss = 0;                     // as recorded: the scalar that backward() is called on
  std::optional<std::int64_t> tokens;  // targets of the declared input `labels` that are not -100
};

struct StepLosses {
  std::optional<double> reported;
  std::vector<ShardLoss> shards;  // by (rank, micro)
};

// Per step. Reads the declared inputs `labels`.
std::map<std::int64_t, StepLosses> losses_of(const TraceView& trace);

}  // namespace goldentrace
