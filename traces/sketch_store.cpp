#include "traces/sketch_store.h"

#include <cstring>

#include "traces/elements.h"

namespace goldentrace {
namespace {

// float32 holds every element of the other dtypes exactly.
bool needs_float64(DType dtype) {
  switch (dtype) {
    case DType::float64:
    case DType::complex128:
    case DType::int32:
    case DType::uint32:
    case DType::int64:
    case DType::uint64:
      return true;
    default:
      return false;
  }
}

bool is_same_bits(const Sketch& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

bool repeats_payload(const Record& record, std::span<const std::byte> payload) {
  const Sketch& sketch = record.fingerprint.sketch;
  return !payload.empty() && sketch.size() == numbers_in(payload.size(), record.dtype) &&
         is_same_bits(sketch, to_numbers(payload, record.dtype));
}

}  // namespace

SketchLocation SketchStore::store(const Record& record, std::span<const std::byte> payload) {
  const Sketch& sketch = record.fingerprint.sketch;
  if (sketch.empty()) return {};
  if (repeats_payload(record, payload)) {
    return {.table = format::SketchTable::payload, .first = 0, .count = static_cast<std::uint32_t>(sketch.size())};
  }
  const auto [found, is_new] = known_.try_emplace({record.fingerprint.hash, record.dtype, sketch.size()});
  if (is_new) found->second = append(sketch, record.dtype);
  return found->second;
}

SketchLocation SketchStore::append(const Sketch& sketch, DType dtype) {
  const auto count = static_cast<std::uint32_t>(sketch.size());
  if (needs_float64(dtype)) {
    const SketchLocation location{format::SketchTable::float64, float64_.rows(), count};
    float64_.append(std::as_bytes(std::span(sketch)));
    return location;
  }
  const std::vector<float> rounded(sketch.begin(), sketch.end());
  const SketchLocation location{format::SketchTable::float32, float32_.rows(), count};
  float32_.append(std::as_bytes(std::span(rounded)));
  return location;
}

void SketchStore::finish() {
  float32_.finish();
  float64_.finish();
}

}  // namespace goldentrace
