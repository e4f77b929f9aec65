#include "kernels/fingerprint.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/element.h"
#include "kernels/fingerprint_result.h"
#include "kernels/float_environment.h"
#include "kernels/scalar_group.h"
#include "kernels/vector_code.h"

namespace goldentrace {
namespace {

static_assert(sizeof(Hash128) == 16 && hash_piece_bytes == order_piece_bytes);

using Bytes = std::span<const std::byte>;

Bytes part(Bytes bytes, std::size_t size, std::size_t number) {
  const std::size_t at = number * size;
  return bytes.subspan(at, std::min(size, bytes.size() - at));
}

// Statistics and sketch of a tensor, span by span, segment by segment, piece by piece.
class NumericPass {
 public:
  // m == 0: no sketch.
  NumericPass(DType real_dtype, std::size_t m)
      : dtype_(real_dtype),
        size_(item_size(real_dtype)),
        m_(m),
        segment_sketch_(m + group_lanes),
        span_sketch_(m),
        sketch_(m) {}

  void add_segment(Bytes bytes) {
    if (segments_ > 0 && segments_ % span_segments == 0) close_span();
    if (!try_segment(bytes, Expect::finite)) try_segment(bytes, Expect::anything);
    add(span_, segment_);
    for (std::size_t i = 0; i < m_; ++i) span_sketch_[i] += segment_sketch_[i];
    first_ += bytes.size() / size_;
    ++segments_;
  }

  void finish() { close_span(); }

  const PartialStatistics& statistics() const { return total_; }
  Sketch take_sketch() { return std::move(sketch_); }

 private:
  bool try_segment(Bytes bytes, Expect expect);
  PartialStatistics piece(Bytes bytes, std::uint64_t first, Expect expect);
  void close_span();

  const DType dtype_;
  const std::size_t size_, m_;
  std::vector<double> segment_sketch_, span_sketch_, sketch_;
  PartialStatistics segment_, span_, total_;
  std::uint64_t first_ = 0;
  std::size_t segments_ = 0;
};

// False: something was not finite, although it should have been.
bool NumericPass::try_segment(Bytes bytes, Expect expect) {
  segment_ = {};
  std::fill_n(segment_sketch_.begin(), m_, 0.0);
  for (std::size_t i = 0; i * order_piece_bytes < bytes.size(); ++i) {
    const std::uint64_t first = first_ + i * (order_piece_bytes / size_);
    add(segment_, piece(part(bytes, order_piece_bytes, i), first, expect));
    if (expect == Expect::finite && !std::isfinite(segment_.squares)) return false;
  }
  return true;
}

PartialStatistics NumericPass::piece(Bytes bytes, std::uint64_t first, Expect expect) {
  LaneSums lanes;
  const std::size_t count = bytes.size() / size_, grouped = count / group_elements * group_elements;
  if (grouped > 0) {
    vector_code().add_groups({bytes.data(), dtype_, first, grouped / group_elements}, expect, lanes,
                             segment_sketch_.data(), m_);
  }
  if (grouped < count) {
    with_element(dtype_, [&](auto element) {
      add_scalar_group<decltype(element)>({bytes.data() + grouped * size_, dtype_, first + grouped, 1}, count - grouped,
                                          {}, lanes, segment_sketch_.data(), m_);
    });
  }
  lanes.rest.sum = folded(lanes.sum);
  lanes.rest.squares = folded(lanes.squares);
  return lanes.rest;
}

void NumericPass::close_span() {
  add(total_, span_);
  span_ = {};
  for (std::size_t i = 0; i < m_; ++i) {
    sketch_[i] += span_sketch_[i];
    span_sketch_[i] = 0;
  }
}

// --- float64 whose squares leave its range: rare, element by element ---

PartialStatistics scaled_piece(Bytes bytes, Scaling scaling) {
  LaneSums lanes;
  for (std::size_t at = 0; at < bytes.size(); at += group_elements * sizeof(double)) {
    const std::size_t count = std::min(group_elements, (bytes.size() - at) / sizeof(double));
    add_scalar_group<PlainElement<double>>({bytes.data() + at, DType::float64, 0, 1}, count, scaling, lanes, nullptr,
                                           0);
  }
  return {.sum = folded(lanes.sum), .squares = folded(lanes.squares)};
}

// The sums of the parts of a size, each of which consists of parts of the smaller sizes behind it.
PartialStatistics scaled_sums(Bytes bytes, Scaling scaling, std::span<const std::size_t> sizes) {
  if (sizes.empty()) return scaled_piece(bytes, scaling);
  PartialStatistics total;
  for (std::size_t i = 0; i * sizes.front() < bytes.size(); ++i) {
    add(total, scaled_sums(part(bytes, sizes.front(), i), scaling, sizes.subspan(1)));
  }
  return total;
}

Statistics statistics_of(const PartialStatistics& found, Bytes bytes) {
  static constexpr std::size_t sizes[] = {span_bytes, segment_bytes, order_piece_bytes};
  if (!needs_scaling(found)) return final_statistics(found, {});
  return final_statistics(found, scaled_sums(bytes, Scaling::by(scaling_exponent(found)), sizes));
}

Sketch whole(Bytes bytes, DType real_dtype) {
  Sketch values(bytes.size() / item_size(real_dtype));
  with_element(real_dtype, [&](auto element) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = value_at<decltype(element)>(bytes.data(), i);
  });
  return values;
}

}  // namespace

Fingerprint fingerprint(Bytes bytes, DType dtype, FingerprintOptions options) {
  check_fingerprint(bytes.size(), dtype, options);
  if (!is_numeric(dtype)) return {.hash = content_hash(bytes)};
  const DefaultFloatEnvironment environment;
  const DType real_dtype = component_dtype(dtype);
  const bool keep_whole = is_kept_whole(bytes.size(), dtype, options);
  std::vector<Hash128> hashes;
  hashes.reserve(pieces_of(bytes.size()));
  NumericPass pass(real_dtype, keep_whole ? 0 : options.sketch_size);
  for (std::size_t i = 0; i < segments_of(bytes.size()); ++i) {
    const Bytes segment = part(bytes, segment_bytes, i);
    for (std::size_t k = 0; k < pieces_of(segment.size()); ++k) {
      hashes.push_back(piece_hash(part(segment, order_piece_bytes, k)));
    }
    pass.add_segment(segment);
  }
  pass.finish();
  Fingerprint result{.hash = piece_hash(std::as_bytes(std::span(hashes)))};
  result.statistics = statistics_of(pass.statistics(), bytes);
  result.sketch = keep_whole ? whole(bytes, real_dtype) : pass.take_sketch();
  return result;
}

}  // namespace goldentrace
