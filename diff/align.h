// Which record of B stands for which record of A.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "traces/record.h"

namespace goldentrace {

struct RecordPair {
  std::int64_t a = 0;  // rows
  std::int64_t b = 0;
};

enum class Side { a, b };

// An output of one trace only that is an input of the same call handed on unchanged: `to` of a dtype that the tensor
// has already returns the tensor itself, and makes a new one where it has another. The input has a partner, so the
// output is compared there.
struct PassedThrough {
  Side side = Side::a;
  std::int64_t row = 0;
  std::int64_t input = 0;  // row of the same trace
};

// A record that a relation says has no counterpart.
struct LeftOut {
  Side side = Side::a;
  std::int64_t row = 0;
};

struct Alignment {
  std::vector<RecordPair> pairs;      // in A's order
  std::vector<std::int64_t> missing;  // rows of A without a partner
  std::vector<std::int64_t> extra;    // rows of B without a partner
  std::vector<PassedThrough> passed_through;
  std::vector<LeftOut> left_out;
};

// Per row, 1: it takes no part. Empty: all take part.
struct SkippedRows {
  std::span<const std::uint8_t> a, b;
};

// Identity alignment. Records meet within the same (step, micro, rank, pass, layer, call, role): by position of first
// use; parameters, their gradients and buffers first by name, so that one left out does not shift the others; declared
// inputs by name alone; inputs of unequal number as uneven_inputs.h says, and their gradients with them. `op_output`
// records take no part: tapes compare ops. Where one side of a call has outputs too many that were handed on unchanged,
// they are set aside first. Rows to skip become left_out.
Alignment align(std::span<const Record> a, std::span<const Record> b, const SkippedRows& skip = {});

}  // namespace goldentrace
