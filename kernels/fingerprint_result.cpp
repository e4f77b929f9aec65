#include "kernels/fingerprint_result.h"

#include <cmath>
#include <stdexcept>

#include "kernels/element.h"
#include "kernels/sketch_hash.h"

namespace goldentrace {

void check_fingerprint(std::size_t bytes, DType dtype, const FingerprintOptions& options) {
  const std::size_t size = item_size(dtype);
  if (size == 0 ? bytes != 0 : bytes % size != 0) {
    throw std::logic_error("fingerprint: the bytes are no whole number of elements");
  }
  if (options.sketch_size > max_sketch_size) throw std::logic_error("fingerprint: more than 2^32 buckets");
}

bool is_numeric(DType dtype) {
  const DTypeClass kind = dtype_class(dtype);
  return kind != DTypeClass::none && kind != DTypeClass::opaque;
}

bool is_kept_whole(std::size_t bytes, DType dtype, const FingerprintOptions& options) {
  return is_numeric(dtype) && bytes / item_size(component_dtype(dtype)) <= options.sketch_size;
}

Hash128 to_hash128(const xxh3::Hash& hash) { return {.low = hash.low, .high = hash.high}; }

Statistics final_statistics(const PartialStatistics& part, const PartialStatistics& scaled) {
  Statistics result{.nan_count = part.nan, .inf_count = part.infinite, .zero_count = part.zero};
  if (part.finite == 0) return result;
  const double count = static_cast<double>(part.finite);
  // Both zeros are equal, and which of them is met first depends on the order: +0.
  result.min = part.min + 0.0;
  result.max = part.max + 0.0;
  if (needs_scaling(part)) {
    const int exponent = scaling_exponent(part);
    result.mean = std::ldexp(scaled.sum / count, exponent);
    result.l2 = std::ldexp(std::sqrt(scaled.squares), exponent);
  } else {
    result.mean = part.sum / count;
    result.l2 = std::sqrt(part.squares);
  }
  return result;
}

}  // namespace goldentrace
