#include "diff/pair_judge.h"

#include "diff/fingerprint_judge.h"
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

std::uint64_t payload_bytes(const Record& record) {
  return static_cast<std::uint64_t>(byte_count(record.shape, record.dtype));
}

}  // namespace

Judgement judge_pair(const TraceView& trace_a, const TraceView& trace_b, const PairTask& task) {
  const OneSide a{trace_a, task.rows.a};
  const OneSide b{trace_b, task.rows.b};
  Judgement judgement = judge_types(a.record(), b.record(), *task.gate);
  if (!judgement.passes() || judge_hashes(a.record(), b.record(), *task.gate, judgement)) return judgement;
  if (a.has_payload() && b.has_payload()) return judge_payloads(a, b, task);
  return judge_sketches(a, b, *task.gate);
}

void judge_pairs(const TraceView& a, const TraceView& b, std::span<const PairTask> tasks,
                 const std::function<void(std::size_t, Judgement)>& keep, WorkLimits limits) {
  const auto bytes_of = [&](std::size_t i) {
    return payload_bytes(a.records[static_cast<std::size_t>(tasks[i].rows.a)]) +
           payload_bytes(b.records[static_cast<std::size_t>(tasks[i].rows.b)]);
  };
  run_tasks(
      tasks.size(), bytes_of, [&](std::size_t i) { keep(i, judge_pair(a, b, tasks[i])); }, limits);
}

}  // namespace goldentrace
