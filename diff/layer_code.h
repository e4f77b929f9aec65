// The recorded ops that made a record, in both traces.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "diff/call_index.h"
#include "diff/tape_diff.h"
#include "diff/trace_view.h"

namespace goldentrace {

// Made by ops between labels: the record lies where the tensor enters a layer, or where the optimizer reads it.
bool is_made_between_layers(const Record& record);

// Refers to both traces, which must outlive it. One thread.
class LayerCode {
 public:
  LayerCode(const TraceView& a, const TraceView& b) : a_(a), b_(b), calls_a_(a.calls), calls_b_(b.calls) {}

  // The calls whose ops made the two records: of a tensor made between layers, the calls around the layer it enters.
  struct Calls {
    const LayerCall* a = nullptr;
    const LayerCall* b = nullptr;

    bool have_tapes() const { return a && b && a->tape >= 0 && b->tape >= 0; }
  };
  Calls calls_of(const Record& a, const Record& b) const;
  // How the tapes of these calls are compared for such a record.
  static TapeDiffOptions scope_of(const Record& a);

  // Both tapes were recorded, no op that the record depends on differs, and none draws other random numbers.
  bool is_same(const Record& a, const Record& b) const;
  // The random states at entry differ, and this tape of the calls draws.
  bool draws_otherwise(const Calls& calls, const Tape& tape) const;

  const CallIndex& calls_a() const { return calls_a_; }
  const CallIndex& calls_b() const { return calls_b_; }

 private:
  enum class Ops { other, same, same_and_random };
  using Key = std::tuple<std::int64_t, std::int64_t, TapeScope, std::int32_t>;

  Ops compare(const Calls& calls, const TapeDiffOptions& options) const;
  bool starts_alike(const Calls& calls) const;

  const TraceView& a_;
  const TraceView& b_;
  CallIndex calls_a_;
  CallIndex calls_b_;
  mutable std::map<Key, Ops> known_;
};

}  // namespace goldentrace
