// Records that must be copies of one another, and are not.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "diff/relation/logical_side.h"

namespace goldentrace {

struct UnequalCopy {
  std::int64_t row = 0;        // recorded rows
  std::int64_t reference = 0;  // what most of the copies are; the first one among equals
};

struct CopyCheck {
  std::int64_t compared = 0;  // copies that were held against another one
  std::vector<UnequalCopy> unequal;
};

// Of everything that a form calls replicated: records that differ only along that dimension must have equal hashes.
// `counts`: which records are looked at; empty: all.
CopyCheck check_copies(const LogicalSide& side, const std::function<bool(const RecordId&)>& counts = {});

}  // namespace goldentrace
