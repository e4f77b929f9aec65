#include "diff/pair_judge.h"

#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "diff/fingerprint_judge.h"
#include "diff/relation/logical_view.h"
#include "kernels/fingerprint.h"

namespace goldentrace {

namespace {

// One side of a pair.
struct OneSide {
  const TraceView& trace;
  std::int64_t row;

  const Record& record() const { return trace.records[static_cast<std::size_t>(row)]; }
  bool has_payload() const { return trace.has_payload(row); }
};

// Fresh memory is many times slower than memory that was touched before, so a thread keeps what it read into, but not
// what a very large tensor took.
class ReusedBytes {
 public:
  explicit ReusedBytes(std::vector<std::byte>& kept) : kept_(kept) {}
  ~ReusedBytes() {
    if (kept_.capacity() > most_kept) std::vector<std::byte>().swap(kept_);
  }
  ReusedBytes(const ReusedBytes&) = delete;
  ReusedBytes& operator=(const ReusedBytes&) = delete;

  TensorView read(const OneSide& side) {
    side.trace.read_payload(side.row, kept_);
    return {side.record().dtype, side.record().shape, kept_};
  }

 private:
  static constexpr std::size_t most_kept = std::size_t{32} << 20;

  std::vector<std::byte>& kept_;
};

Judgement judge_payloads(const OneSide& a, const OneSide& b, const PairTask& task) {
  thread_local std::vector<std::byte> kept_a;
  thread_local std::vector<std::byte> kept_b;
  ReusedBytes bytes_a(kept_a);
  ReusedBytes bytes_b(kept_b);
  return judge(bytes_a.read(a), bytes_b.read(b), *task.gate, task.metrics);
}

Sketch sketch_of_size(const OneSide& side, std::size_t buckets) {
  FingerprintOptions options;
  options.sketch_size = buckets;
  return fingerprint(side.trace.payload(side.row), side.record().dtype, options).sketch;
}

Judgement judge_sketches(const OneSide& a, const OneSide& b, const Gate& gate) {
  Sketch of_a = a.trace.sketch(a.row);
  Sketch of_b = b.trace.sketch(b.row);
  if (of_a.size() != of_b.size()) {
    if (!of_b.empty() && a.has_payload()) {
      of_a = sketch_of_size(a, of_b.size());
    } else if (!of_a.empty() && b.has_payload()) {
      of_b = sketch_of_size(b, of_a.size());
    }
  }
  return judge_fingerprints(a.record(), of_a, b.record(), of_b, gate);
}

// A tensor that a form makes is held beside what it is made of.
std::uint64_t payload_bytes(const TraceView& trace, std::int64_t row) {
  const Record& record = trace.records[static_cast<std::size_t>(row)];
  const std::uint64_t copies = trace.logical && trace.logical->is_transformed(row) ? 3 : 1;
  return copies * static_cast<std::uint64_t>(byte_count(record.shape, record.dtype));
}

bool is_transformed(const OneSide& side) { return side.trace.logical && side.trace.logical->is_transformed(side.row); }
std::string misfit(const OneSide& side) { return side.trace.logical ? side.trace.logical->misfit(side.row) : ""; }

Judgement undecidable(std::string text) {
  Judgement judgement;
  judgement.finding = Finding::undecidable;
  judgement.text = std::move(text);
  return judgement;
}

// `bytes` as it would have been recorded in the place of `found`.
RecordedTensor recorded_like(const RecordedTensor& found, DType dtype, const std::vector<std::byte>& bytes) {
  RecordedTensor result{found.record, {}};
  result.record.dtype = dtype;
  FingerprintOptions options;
  options.sketch_size = found.sketch.empty() ? default_sketch_size : found.sketch.size();
  result.record.fingerprint = fingerprint(bytes, dtype, options);
  result.sketch = result.record.fingerprint.sketch;
  return result;
}

std::vector<RecordedTensor> recorded(const OneSide& side) {
  if (side.trace.logical) {
    std::vector<RecordedTensor> sources = side.trace.logical->sources(side.row);
    if (!is_transformed(side)) sources.resize(1);
    return sources;
  }
  return {{side.record(), side.trace.sketch(side.row)}};
}

// What `payload` would have been recorded as on the side of `bare`, which has fingerprints only.
std::optional<std::vector<RecordedTensor>> as_recorded_by(const OneSide& bare, const OneSide& payload,
                                                          const std::vector<RecordedTensor>& found) {
  std::vector<std::vector<std::byte>> contents{payload.trace.payload(payload.row)};
  if (bare.trace.logical) {
    auto taken_apart = bare.trace.logical->as_recorded(bare.row, contents.front());
    if (!taken_apart) return std::nullopt;
    contents = std::move(*taken_apart);
  }
  std::vector<RecordedTensor> result;
  for (std::size_t i = 0; i < contents.size(); ++i)
    result.push_back(recorded_like(found[i], payload.record().dtype, contents[i]));
  return result;
}

std::string form_text(const OneSide& a, const OneSide& b) {
  const OneSide& side = is_transformed(a) ? a : b;
  return "the form '" + side.trace.logical->form(side.row) + "'";
}

// One side has the payload, and the other's form can be undone: both as they would be recorded there.
std::optional<Judgement> judge_as_recorded(const OneSide& a, const OneSide& b, const Gate& gate) {
  const OneSide& bare = a.has_payload() ? b : a;
  const std::vector<RecordedTensor> there = recorded(bare);
  const auto here = as_recorded_by(bare, a.has_payload() ? a : b, there);
  if (!here) return std::nullopt;
  const std::vector<RecordedTensor>& of_a = a.has_payload() ? *here : there;
  const std::vector<RecordedTensor>& of_b = a.has_payload() ? there : *here;
  std::vector<Judgement> parts;
  for (std::size_t i = 0; i < there.size(); ++i)
    parts.push_back(judge_fingerprints(of_a[i].record, of_a[i].sketch, of_b[i].record, of_b[i].sketch, gate));
  return parts.size() == 1 ? std::move(parts.front()) : judge_parts(parts, gate, of_a.front(), of_b.front());
}

// The hashes say nothing about transformed rows, so that bits and equal values need a payload.
Judgement judge_transformed(const OneSide& a, const OneSide& b, const Gate& gate) {
  const bool payload = a.has_payload() || b.has_payload();
  if (payload) {
    if (auto judgement = judge_as_recorded(a, b, gate)) return *judgement;
  }
  const bool linear = !a.trace.sketch(a.row).empty() && !b.trace.sketch(b.row).empty();
  if (linear && gate.kind == GateKind::rel) return judge_sketches(a, b, gate);
  const std::string asked = linear ? " for the gate " + describe(gate) : "";
  return undecidable(form_text(a, b) +
                     (payload ? " needs the payload of both sides here" : " needs the payload of one side at least") +
                     asked);
}

}  // namespace

Judgement judge_pair(const TraceView& trace_a, const TraceView& trace_b, const PairTask& task) {
  const OneSide a{trace_a, task.rows.a};
  const OneSide b{trace_b, task.rows.b};
  for (const OneSide* side : {&a, &b}) {
    if (std::string text = misfit(*side); !text.empty()) {
      Judgement judgement;
      judgement.finding = Finding::shape;
      judgement.used = std::numeric_limits<double>::infinity();
      judgement.text = std::move(text);
      return judgement;
    }
  }
  Judgement judgement = judge_types(a.record(), b.record(), *task.gate);
  if (!judgement.passes() || judge_hashes(a.record(), b.record(), *task.gate, judgement)) return judgement;
  if (a.has_payload() && b.has_payload()) return judge_payloads(a, b, task);
  if (is_transformed(a) || is_transformed(b)) return judge_transformed(a, b, *task.gate);
  return judge_sketches(a, b, *task.gate);
}

void judge_pairs(const TraceView& a, const TraceView& b, std::span<const PairTask> tasks,
                 const std::function<void(std::size_t, Judgement)>& keep, WorkLimits limits) {
  const auto bytes_of = [&](std::size_t i) {
    return payload_bytes(a, tasks[i].rows.a) + payload_bytes(b, tasks[i].rows.b);
  };
  run_tasks(
      tasks.size(), bytes_of, [&](std::size_t i) { keep(i, judge_pair(a, b, tasks[i])); }, limits);
}

}  // namespace goldentrace
