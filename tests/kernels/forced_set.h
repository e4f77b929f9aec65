// Forces an instruction set for the current scope.
#pragma once

#include <vector>

#include "kernels/vector_code.h"

namespace goldentrace::testing {

class ForcedSet {
 public:
  explicit ForcedSet(InstructionSet set) { force_instruction_set(set); }
  ~ForcedSet() { force_instruction_set({}); }
  ForcedSet(const ForcedSet&) = delete;
  ForcedSet& operator=(const ForcedSet&) = delete;
};

inline std::vector<InstructionSet> supported_sets() {
  std::vector<InstructionSet> sets;
  for (const InstructionSet set : {InstructionSet::portable, InstructionSet::avx2, InstructionSet::avx512}) {
    if (is_supported(set)) sets.push_back(set);
  }
  return sets;
}

}  // namespace goldentrace::testing
