#include "kernels/fingerprint.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "kernels/chunk.h"
#include "kernels/element.h"
#include "kernels/float_environment.h"
#include "kernels/sketch.h"

namespace goldentrace {
namespace {

static_assert(sizeof(Hash128) == 16);

// The hashes of the pieces so far; equal to content_hash of all of them.
class PieceHashes {
 public:
  explicit PieceHashes(std::size_t bytes) { hashes_.reserve((bytes + hash_piece_bytes - 1) / hash_piece_bytes); }
  void add(std::span<const std::byte> piece) { hashes_.push_back(piece_hash(piece)); }
  Hash128 result() const { return piece_hash(std::as_bytes(std::span(hashes_))); }

 private:
  std::vector<Hash128> hashes_;
};

class NumericPass {
 public:
  // m == 0: no sketch.
  NumericPass(DType real_dtype, std::size_t m) : real_dtype_(real_dtype), sums_(m) {}

  void add(std::span<const std::byte> piece) {
    const std::size_t size = item_size(real_dtype_);
    std::size_t left = piece.size() / size;
    for (const std::byte* bytes = piece.data(); left > 0;) {
      const std::size_t count = std::min(left, chunk_elements);
      goldentrace::add(statistics_, read_chunk(bytes, real_dtype_, first_, count, values_.data()));
      if (!sums_.empty()) add_signed_to_sketch(sums_.data(), sums_.size(), first_, values_.data(), count);
      first_ += count;
      bytes += count * size;
      left -= count;
    }
  }

  const PartialStatistics& statistics() const { return statistics_; }
  Sketch take_sketch() { return std::move(sums_); }

 private:
  DType real_dtype_;
  Sketch sums_;
  PartialStatistics statistics_;
  std::uint64_t first_ = 0;
  std::array<double, chunk_elements> values_;
};

// Squares of values outside 2^-480 … 2^480 may leave the range of double.
bool needs_scaling(double largest) { return largest > 0x1p480 || (largest > 0 && largest < 0x1p-480); }

Statistics final_statistics(const PartialStatistics& part, std::span<const std::byte> bytes, DType real_dtype) {
  Statistics result{.nan_count = part.nan, .inf_count = part.infinite, .zero_count = part.zero};
  if (part.finite == 0) return result;
  const double count = static_cast<double>(part.finite);
  result.min = part.min;
  result.max = part.max;
  result.mean = part.sum / count;
  result.l2 = std::sqrt(part.squares);
  const double largest = std::max(std::abs(part.min), std::abs(part.max));
  if (needs_scaling(largest)) {
    const int exponent = std::ilogb(largest);
    const ScaledSums sums = scaled_sums(bytes.data(), real_dtype, bytes.size() / item_size(real_dtype), exponent);
    result.mean = std::ldexp(sums.sum / count, exponent);
    result.l2 = std::ldexp(std::sqrt(sums.squares), exponent);
  }
  return result;
}

Sketch whole(std::span<const std::byte> bytes, DType real_dtype, std::size_t count) {
  Sketch values(count);
  with_element(real_dtype, [&](auto element) {
    for (std::size_t i = 0; i < count; ++i) values[i] = value_at<decltype(element)>(bytes.data(), i);
  });
  return values;
}

template <typename Visitor>
void for_each_piece(std::span<const std::byte> bytes, const Visitor& visit) {
  for (std::size_t at = 0; at < bytes.size(); at += hash_piece_bytes) {
    visit(bytes.subspan(at, std::min(hash_piece_bytes, bytes.size() - at)));
  }
}

bool is_numeric(DType dtype) {
  const DTypeClass kind = dtype_class(dtype);
  return kind != DTypeClass::none && kind != DTypeClass::opaque;
}

void check(std::span<const std::byte> bytes, DType dtype, const FingerprintOptions& options) {
  const std::size_t size = item_size(dtype);
  if (size == 0 ? !bytes.empty() : bytes.size() % size != 0) {
    throw std::logic_error("fingerprint: the bytes are no whole number of elements");
  }
  if (options.sketch_size > max_sketch_size) throw std::logic_error("fingerprint: more than 2^32 buckets");
}

}  // namespace

Fingerprint fingerprint(std::span<const std::byte> bytes, DType dtype, FingerprintOptions options) {
  check(bytes, dtype, options);
  if (!is_numeric(dtype)) return {.hash = content_hash(bytes)};
  const DefaultFloatEnvironment environment;
  const DType real_dtype = component_dtype(dtype);
  const std::size_t count = bytes.size() / item_size(real_dtype);
  const bool keep_whole = count <= options.sketch_size;
  PieceHashes hashes(bytes.size());
  NumericPass pass(real_dtype, keep_whole ? 0 : options.sketch_size);
  for_each_piece(bytes, [&](std::span<const std::byte> piece) {
    hashes.add(piece);
    pass.add(piece);
  });
  Fingerprint result{.hash = hashes.result(), .statistics = final_statistics(pass.statistics(), bytes, real_dtype)};
  result.sketch = keep_whole ? whole(bytes, real_dtype, count) : pass.take_sketch();
  return result;
}

}  // namespace goldentrace
