// Where the tapes of one layer differ in two traces, as data: no LibTorch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traces/tape.h"

namespace goldentrace {

enum class TapeChange {
  only_in_a,
  only_in_b,
  other_op,  // another op, or another overload, in its place
  argument,  // a value other than a tensor
  operand,   // another tensor
  mode,      // autocast, grad mode or inference mode
};
std::string_view name(TapeChange change);  // "only_in_b"

struct TapeDifference {
  TapeChange change = TapeChange::argument;
  std::int64_t ordinal_a = -1;  // place of the op in the tape; -1: not there
  std::int64_t ordinal_b = -1;
  std::string op;    // "aten::layer_norm": A's, or B's where only B has it
  std::string text;  // "layer_norm eps 1e-05 | 1e-06"
  // The compared output depends on the op, on a side that has it.
  bool upstream = true;
};

enum class TapeScope {
  all,
  own,  // without the ops of inner labels: what the layer itself does between them
};

struct TapeDiffOptions {
  TapeScope scope = TapeScope::all;
  // Position of the output that is asked about, or written_in_place (diff/tape_slice.h); ops that it does not depend on
  // are marked so.
  std::optional<std::int32_t> output;
};

// In execution order; empty for tapes that do the same.
std::vector<TapeDifference> diff_tapes(const Tape& a, const Tape& b, const TapeDiffOptions& options = {});

}  // namespace goldentrace
