#include "replayer/judging.h"

#include <algorithm>
#include <utility>

#include "diff/fingerprint_judge.h"
#include "kernels/fingerprint.h"
#include "replayer/content.h"
#include "tape/dtypes.h"
#include "traces/hash.h"

namespace goldentrace {
namespace {

struct Replayed {
  DType dtype = DType::none;
  Shape shape;
  std::vector<std::byte> bytes;

  TensorView view() const { return {dtype, shape, bytes}; }
};

Replayed replayed_from(const at::Tensor& tensor) {
  if (!tensor.defined()) return {};
  return {to_dtype(tensor.scalar_type()), tensor.sizes().vec(), bytes_of(tensor)};
}

bool same_type(const Record& record, const Replayed& replayed) {
  return record.dtype == replayed.dtype && record.shape == replayed.shape;
}

ReplayVerdict verdict_of(const Judgement& judgement) {
  switch (judgement.finding) {
    case Finding::bit_equal:
      return ReplayVerdict::bit_equal;
    case Finding::within:
      return ReplayVerdict::within;
    case Finding::undecidable:
      return ReplayVerdict::unsupported;
    default:
      return ReplayVerdict::differs;
  }
}

Judgement judge_by_sketch(const TraceReader& trace, std::int64_t row, const Replayed& replayed, const Gate& gate) {
  const Record& record = trace.records()[static_cast<std::size_t>(row)];
  const Sketch sketch = trace.sketch(row);
  Record other = record;
  other.dtype = replayed.dtype;
  other.shape = replayed.shape;
  other.fingerprint = fingerprint(replayed.bytes, replayed.dtype, {.sketch_size = sketch.size()});
  return judge_fingerprints(record, sketch, other, other.fingerprint.sketch, gate);
}

Judgement judge_content(const TraceReader& trace, std::int64_t row, const Replayed& replayed, const Gate& gate) {
  const Record& record = trace.records()[static_cast<std::size_t>(row)];
  const bool by_hash = gate.nan == NanPolicy::same && same_type(record, replayed) &&
                       content_hash(replayed.bytes) == record.fingerprint.hash;
  if (by_hash) return judge(replayed.view(), replayed.view(), gate);
  const auto content = content_of(trace, row);
  if (!content) return judge_by_sketch(trace, row, replayed, gate);
  return judge({content->dtype, content->shape, content->bytes}, replayed.view(), gate);
}

}  // namespace

ReplayedTensor judge_replayed(const TraceReader& trace, std::int64_t row, const at::Tensor& replayed,
                              const Gate& gate) {
  const Record& record = trace.records()[static_cast<std::size_t>(row)];
  const Replayed made = replayed_from(replayed);
  ReplayedTensor result;
  result.id = record.id;
  result.position = record.position;
  result.recorded_dtype = record.dtype;
  result.replayed_dtype = made.dtype;
  result.shape = record.shape;
  result.gate = describe(gate, record.dtype, made.dtype);
  if (made.dtype == DType::none && record.dtype != DType::none) {
    result.verdict = ReplayVerdict::differs;
    result.reason = "the replay gives none";
    return result;
  }
  result.judgement = judge_content(trace, row, made, gate);
  result.verdict = verdict_of(result.judgement);
  if (result.verdict == ReplayVerdict::unsupported) result.reason = result.judgement.text;
  return result;
}

bool has_recorded_hash(const Record& record, const at::Tensor& replayed) {
  const Replayed made = replayed_from(replayed);
  return same_type(record, made) && content_hash(made.bytes) == record.fingerprint.hash;
}

ReplayVerdict worse(ReplayVerdict a, ReplayVerdict b) { return std::max(a, b); }

}  // namespace goldentrace
