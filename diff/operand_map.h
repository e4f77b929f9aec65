// Which tensors of two aligned tapes are the same one.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "diff/tape_alignment.h"
#include "traces/tape.h"

namespace goldentrace {

// Values read from outside are the same when role and name (parameters, buffers) or position (inputs) are; values made
// by aligned ops when they are the same result of them. A value made by an op that only one side has equals anything:
// what reads it differs as a consequence.
class OperandMap {
 public:
  OperandMap(const Tape& a, const Tape& b, std::span<const OpPair> pairs);

  bool same(ValueIndex a, ValueIndex b) const;

 private:
  using Names = std::vector<std::string>;  // per value; empty: not known

  static Names externals(const Tape& tape);
  static void name_results(const std::vector<Argument>& results, const std::string& op, Names& names, int& slot);
  static void name_aliases(const Tape& tape, Names& names);

  Names a_;
  Names b_;
};

}  // namespace goldentrace
