#include "replayer/content.h"

#include <ATen/EmptyTensor.h>
#include <ATen/core/Tensor.h>

#include <utility>

#include "diff/whole_sketch.h"
#include "traces/error.h"
#include "traces/hash.h"

namespace goldentrace {
namespace {

std::optional<RecordedContent> from_sketch(const TraceReader& trace, std::int64_t row) {
  const Record& record = trace.records()[static_cast<std::size_t>(row)];
  const Sketch sketch = trace.sketch(row);
  if (!is_whole(record, sketch)) return std::nullopt;
  RecordedContent content{record.dtype, record.shape, restore(record, sketch)};
  if (content_hash(content.bytes) != record.fingerprint.hash) return std::nullopt;
  return content;
}

// splitmix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

at::Tensor factors(const at::Tensor& like, double epsilon, std::uint64_t salt) {
  at::Tensor made = at::detail::empty_cpu(like.sizes(), at::kDouble);
  auto* factor = static_cast<double*>(made.mutable_data_ptr());
  for (std::int64_t i = 0; i < made.numel(); ++i) {
    const std::uint64_t bits = mixed(mixed(salt) ^ static_cast<std::uint64_t>(i));
    factor[i] = 1 + epsilon * (2 * static_cast<double>(bits >> 11) * 0x1p-53 - 1);
  }
  return made;
}

}  // namespace

std::optional<RecordedContent> content_of(const TraceReader& trace, std::int64_t row) {
  if (!trace.has_payload(row)) return from_sketch(trace, row);
  const Record& record = trace.records()[static_cast<std::size_t>(row)];
  return RecordedContent{record.dtype, record.shape, trace.payload(row)};
}

RecordedContent needed_content(const TraceReader& trace, std::int64_t row) {
  if (auto content = content_of(trace, row)) return std::move(*content);
  const Record& record = trace.records()[static_cast<std::size_t>(row)];
  throw Error(ErrorCode::incomparable,
              std::string(name(record.id.role)) + " " + record.id.index +
                  " has no payload in this trace; take the inputs from a trace that has it with --inputs, or run this "
                  "trace's tape on such a trace with --tape-from");
}

RecordedContent perturbed(RecordedContent content, double epsilon, std::uint64_t salt) {
  const DTypeClass kind = dtype_class(content.dtype);
  if (epsilon == 0 || (kind != DTypeClass::floating && kind != DTypeClass::complex)) return content;
  const at::Tensor original = tensor_from(content.view());
  const at::Tensor wide = original.to(kind == DTypeClass::complex ? at::kComplexDouble : at::kDouble);
  content.bytes = bytes_of(wide.mul(factors(wide, epsilon, salt)).to(original.scalar_type()));
  return content;
}

}  // namespace goldentrace
