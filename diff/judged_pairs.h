// The aligned records of two traces with what was found of each pair.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "diff/align.h"
#include "diff/diff.h"
#include "diff/divergence.h"
#include "diff/gate_choice.h"
#include "diff/noise_band.h"
#include "diff/pair_judge.h"
#include "diff/report.h"
#include "diff/trace_view.h"

namespace goldentrace {

// A pair of model inputs that were fed different data.
struct InputDifference {
  std::int64_t pair = 0;
  Judgement judgement;
};

// What is kept of every judged pair.
struct BriefJudgement {
  Finding finding = Finding::bit_equal;
  double used = 0;  // part of the gate
};

// Refers to both traces and the options, which must outlive it. Pairs go by their number in the alignment.
class JudgedPairs {
 public:
  JudgedPairs(const TraceView& a, const TraceView& b, Alignment alignment, const DiffOptions& options);

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
  const NoiseBands& bands() const { return bands_; }
  // Null for pairs that are equal by hash or were not compared.
  const BriefJudgement* judgement(std::int64_t pair) const;
  // All metrics of these pairs. Of many or large pairs judge() keeps no more than the brief judgement, so they are read
  // again here; several at once are read by several threads.
  std::vector<PairReport> report(std::span<const std::int64_t> pairs);
  PairReport report(std::int64_t pair);

 private:
  bool is_equal_by_hash(std::int64_t pair) const;
  const NoiseBand* band(std::int64_t pair) const;
  Gate gate_of(std::int64_t pair) const;
  void add_task(std::int64_t pair);
  // Metrics::all: whole judgements are kept.
  Metrics metrics_to_take() const;
  void complete(std::span<const std::int64_t> pairs);
  PairReport make_report(std::int64_t pair) const;

  const TraceView& a_;
  const TraceView& b_;
  const DiffOptions& options_;
  GateChoice choice_;
  NoiseBands bands_;
  Alignment alignment_;
  std::vector<PairState> states_;
  std::vector<std::uint8_t> weights_;
  std::vector<std::uint32_t> task_of_;  // per pair: place in the next two lists
  std::vector<PairTask> tasks_;
  std::vector<BriefJudgement> brief_;
  std::deque<Gate> gates_;  // the distinct ones
  std::unordered_map<std::uint32_t, Judgement> whole_;
};

}  // namespace goldentrace
