// Inputs of one call of which the two traces have unequal numbers.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "diff/align.h"
#include "traces/record.h"

namespace goldentrace {

struct InputPairing {
  std::vector<RecordPair> pairs;
  std::vector<std::int64_t> missing, extra;  // rows of A, rows of B
};

// Inputs meet by content, then by what made them where that says which is which. One that was made by layers that the
// other trace does not have meets nothing. The rest meet by position.
class UnevenInputs {
 public:
  // The records must outlive this; `known` are the pairs that inputs' makers are looked up in.
  UnevenInputs(std::span<const Record> a, std::span<const Record> b, std::span<const RecordPair> known);

  // Rows of one call, in the order of their positions.
  InputPairing match(std::vector<std::int64_t> rows_a, std::vector<std::int64_t> rows_b) const;

 private:
  bool has_same_content(const RecordPair& rows) const;
  bool has_same_source(const RecordPair& rows) const;
  void pair_by_position(std::span<const std::int64_t> rows_a, std::span<const std::int64_t> rows_b,
                        InputPairing& result) const;

  std::span<const Record> a_, b_;
  std::vector<std::int64_t> partners_;  // by row of A; -1: none
  std::set<std::string_view> layers_a_, layers_b_;
};

}  // namespace goldentrace
