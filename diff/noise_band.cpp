#include "diff/noise_band.h"

#include <algorithm>
#include <vector>

#include "diff/align.h"
#include "diff/gate_choice.h"
#include "diff/number.h"
#include "diff/pair_judge.h"
#include "traces/error.h"

namespace goldentrace {

namespace {

// One run of them all, with its rows for those of the golden.
struct Run {
  const TraceView* trace;
  std::map<std::int64_t, std::int64_t> rows;
};

Run aligned(const TraceView& golden, const TraceView& repeat) {
  Run run{&repeat, {}};
  for (const RecordPair& pair : align(golden.records, repeat.records).pairs) {
    run.rows.emplace(pair.a, pair.b);
    const Record& a = golden.records[static_cast<std::size_t>(pair.a)];
    const Record& b = repeat.records[static_cast<std::size_t>(pair.b)];
    if (is_model_input(a) && a.fingerprint.hash != b.fingerprint.hash) {
      throw Error(ErrorCode::incomparable,
                  "is no repeat of " + golden.path.string() + ": " + describe(a.id) + " differs",
                  {repeat.path.string(), ""});
    }
  }
  if (run.rows.empty()) {
    throw Error(ErrorCode::incomparable, "is no repeat of " + golden.path.string() + ": no record is in both",
                {repeat.path.string(), ""});
  }
  return run;
}

// Nothing where they are equal or cannot be measured.
void widen(const Run& first, std::int64_t row_a, const Run& second, std::int64_t row_b,
           std::optional<NoiseBand>& band) {
  const Gate any;
  const Judgement found = judge_pair(*first.trace, *second.trace, {{row_a, row_b}, &any});
  const bool values = found.finding == Finding::values || found.finding == Finding::within;
  if (!values || (!found.measured && !found.estimated)) return;
  if (!band) band.emplace();
  band->max_abs = std::max(band->max_abs, found.comparison.max_abs);
  band->rel = std::max(band->rel, found.comparison.rel_frobenius);
}

}  // namespace

NoiseBands::NoiseBands(const TraceView& golden, std::span<const TraceView> repeats) : repeats_(repeats.size()) {
  std::vector<Run> runs{{&golden, {}}};
  for (std::size_t row = 0; row < golden.records.size(); ++row)
    runs.front().rows.emplace(static_cast<std::int64_t>(row), static_cast<std::int64_t>(row));
  for (const TraceView& repeat : repeats) runs.push_back(aligned(golden, repeat));
  for (const auto& [row, same] : runs.front().rows) {
    std::optional<NoiseBand> band;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      for (std::size_t j = i + 1; j < runs.size(); ++j) {
        const auto of_i = runs[i].rows.find(row);
        const auto of_j = runs[j].rows.find(row);
        if (of_i == runs[i].rows.end() || of_j == runs[j].rows.end()) continue;
        widen(runs[i], of_i->second, runs[j], of_j->second, band);
      }
    }
    if (band) bands_[golden.records[static_cast<std::size_t>(row)].id] = *band;
  }
}

const NoiseBand* NoiseBands::find(const RecordId& id) const {
  const auto found = bands_.find(id);
  return found == bands_.end() ? nullptr : &found->second;
}

Gate NoiseBands::gate(const NoiseBand& band, const Gate& base) {
  Gate gate = base;
  gate.percentile.reset();
  if (band.max_abs > 0) {
    gate.kind = GateKind::allclose;
    gate.rtol = 0;
    gate.atol = noise_factor * band.max_abs;
  } else {
    gate.kind = GateKind::rel;
    gate.rel = noise_factor * band.rel;
  }
  return gate;
}

std::string NoiseBands::text() const {
  return "noise band of " + counted(static_cast<std::int64_t>(repeats_), "repeat");
}

std::string NoiseBands::note() const {
  return counted(static_cast<std::int64_t>(bands_.size()), "record") + " of the golden with a " + text() +
         ", judged by " + show(noise_factor, 2) + " times its width instead of the gate";
}

}  // namespace goldentrace
