// How much the tensors of a run change when it is repeated: atomic additions, threads, scatter kernels.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "diff/gate.h"
#include "diff/trace_view.h"

namespace goldentrace {

// Widths over all pairs of the golden and its repeats.
struct NoiseBand {
  double max_abs = 0;
  double rel = 0;  // relative Frobenius error
};

// A candidate is one more run of the same kind: it may lie as far again outside of what was seen.
inline constexpr double noise_factor = 2;

class NoiseBands {
 public:
  NoiseBands() = default;
  // Error(incomparable) for a repeat that was fed other data or has no record in common with the golden. Reads whatever
  // is not equal by hash.
  NoiseBands(const TraceView& golden, std::span<const TraceView> repeats);

  bool empty() const { return bands_.empty(); }
  const NoiseBand* find(const RecordId& id) const;
  // In place of the gate of a tensor with a band: allclose with its width times noise_factor as atol, or where the
  // width is known from sketches alone, rel.
  static Gate gate(const NoiseBand& band, const Gate& base);
  std::string text() const;  // "noise band of 3 repeats"
  std::string note() const;  // "2 records have a noise band of 3 repeats"

 private:
  std::size_t repeats_ = 0;
  std::map<RecordId, NoiseBand> bands_;
};

}  // namespace goldentrace
