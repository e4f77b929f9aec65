// Differing records that carry one and the same tensor.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "diff/align.h"
#include "diff/call_index.h"
#include "traces/record.h"

namespace goldentrace {

// A tensor that leaves (or enters) nested labels is a record of each. Groups hold pair numbers in ascending order:
// equal step, micro, rank, pass and role, equal content on either side, labels that nest in one another. Each given
// pair is in exactly one group, alone if need be.
std::vector<std::vector<std::int64_t>> nested_groups(std::span<const Record> a, std::span<const Record> b,
                                                     std::span<const RecordPair> pairs,
                                                     std::span<const std::int64_t> differing, const CallIndex& calls);

// Of roots that carry one tensor the innermost label stands for all, and the earliest where several are. Parameters
// are the same tensor by content, in whatever layer, step or micro-batch; others within one step, micro and pass.
std::vector<std::int64_t> one_per_tensor(std::span<const Record> a, std::span<const Record> b,
                                         std::span<const RecordPair> pairs, std::span<const std::int64_t> roots,
                                         const CallIndex& calls);

}  // namespace goldentrace
