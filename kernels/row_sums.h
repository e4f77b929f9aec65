// Sums of squares of a pair of tensors, as a whole and by rows.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/pair_chunk.h"

namespace goldentrace {

struct PairSums {
  double a = 0;           // sum of a²
  double b = 0;           // sum of b²
  double difference = 0;  // sum of (a-b)²
  double dot = 0;         // sum of a b
};

// Values are divided by powers of two before they are squared.
struct SumScale {
  int values = 0;      // exponent for a and b
  int difference = 0;  // exponent for a-b
};

struct WorstRow {
  double ratio = 0;  // |a-b| / |a| of scaled values
  std::int64_t row = -1;
};

// Takes the chunks of a pair in order. Rows that differ are remembered up to a limit; where there are more, a second
// run with `least_square`, which only then is known, finds the worst one on the fly.
class RowSums {
 public:
  // row_elements: length of a row; 0: no rows (0- and 1-dim tensors).
  RowSums(const TensorPair& pair, std::int64_t row_elements, SumScale scale, std::optional<double> least_square = {});

  void add(const PairChunk& chunk);

  const PairSums& total() const { return total_; }
  // A row counts when its sum of a² reaches this: a hundredth of the mean over all rows.
  double least_square() const;
  // Empty when more rows differ than were remembered: run again with least_square().
  std::optional<WorstRow> worst() const;

 private:
  struct Row {
    std::int64_t number;
    double a, difference;
  };

  void close_row();
  void judge(const Row& row, double least_square, WorstRow& worst) const;

  const std::int64_t elements_;
  const std::int64_t row_elements_;
  const std::size_t components_;
  const SumScale scale_;
  const std::optional<double> least_square_;
  PairSums total_;
  PairSums row_;
  std::int64_t row_number_ = 0;
  std::int64_t row_filled_ = 0;
  std::vector<Row> differing_;
  bool overflowed_ = false;
  WorstRow worst_;
};

}  // namespace goldentrace
