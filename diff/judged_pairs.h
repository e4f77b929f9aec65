// The aligned records of two traces with what was found of each pair.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "diff/align.h"
#include "diff/diff.h"
#include "diff/divergence.h"
#include "diff/gate_choice.h"
#include "diff/pair_judge.h"
#include "diff/report.h"
#include "diff/trace_view.h"

namespace goldentrace {

// A pair of model inputs that were fed different data.
struct InputDifference {
  std::int64_t pair = 0;
  Judgement judgement;
};

// Refers to both traces and the options, which must outlive it. Pairs go by their number in the alignment.
class JudgedPairs {
 public:
  JudgedPairs(const TraceView& a, const TraceView& b, const DiffOptions& options);

  const Alignment& alignment() const { return alignment_; }
  std::int64_t count() const { return static_cast<std::int64_t>(alignment_.pairs.size()); }
  const Record& a(std::int64_t pair) const;
  const Record& b(std::int64_t pair) const;

  bool is_input(std::int64_t pair) const { return is_model_input(a(pair)) && is_model_input(b(pair)); }
  bool passes_filter(const Record& record) const;
  // The filter lets it through, or it is a model input.
  bool is_compared(std::int64_t pair) const { return is_input(pair) || passes_filter(a(pair)); }

  std::optional<InputDifference> differing_input() const;

  // Judges every compared pair that is not equal by hash. Before it all states are bit_equal.
  void judge();
  std::span<const PairState> states() const { return states_; }
  std::span<const std::uint8_t> weights() const { return weights_; }
  // Takes the metrics of these pairs that no gate asks for; judge() leaves them out where there is much to compare.
  void measure(std::span<const std::int64_t> pairs);
  // Null for pairs that are equal by hash or were not compared.
  const Judgement* judgement(std::int64_t pair) const;
  PairReport report(std::int64_t pair) const;

 private:
  bool is_equal_by_hash(const Record& a, const Record& b) const;
  Metrics metrics_for(std::span<const PairTask> tasks) const;

  const TraceView& a_;
  const TraceView& b_;
  const DiffOptions& options_;
  GateChoice choice_;
  Alignment alignment_;
  std::vector<PairState> states_;
  std::vector<std::uint8_t> weights_;
  std::vector<std::uint32_t> judgement_of_;  // per pair: place in the two lists below
  std::vector<Judgement> judgements_;
  std::vector<Gate> gates_;
};

}  // namespace goldentrace
