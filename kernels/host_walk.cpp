#include "kernels/host_walk.h"

#include <memory>
#include <new>
#include <stdexcept>
#include <vector>

#include "kernels/device_fingerprint.h"
#include "kernels/fingerprint_block.h"
#include "kernels/fingerprint_gather.h"
#include "kernels/fingerprint_result.h"
#include "kernels/float_environment.h"

namespace goldentrace {
namespace {

class Walk {
 public:
  Walk(std::span<const std::byte> bytes, std::size_t sketch_size)
      : bytes_(bytes), sketch_size_(sketch_size), piece_hashes_(pieces_of(bytes.size())), sketch_(sketch_size) {}

  template <typename Element>
  void run() {
    result_.statistics = gathered<Element>({});
    if (!needs_scaling(result_.statistics)) return;
    const std::vector<double> sketch = sketch_;
    result_.scaled = gathered<Element>(Scaling::by(scaling_exponent(result_.statistics)));
    sketch_ = sketch;
  }

  Hash128 hash() const;
  Statistics statistics() const { return final_statistics(result_.statistics, result_.scaled); }
  Sketch sketch() const { return sketch_; }

 private:
  template <typename Element>
  PartialStatistics gathered(Scaling scaling);
  template <typename Element>
  void walk_segment(const SegmentJob& job) const;
  void gather(const std::vector<PartialStatistics>& parts, const std::vector<double>& sketches, std::size_t first,
              std::size_t end, PartialStatistics& result, double* sketch) const;

  std::span<const std::byte> bytes_;
  std::size_t sketch_size_;
  mutable std::vector<xxh3::Hash> piece_hashes_;
  std::vector<double> sketch_;
  TensorResult result_{};
};

template <typename Element>
void Walk::walk_segment(const SegmentJob& job) const {
  struct Aligned {
    alignas(16) std::byte bytes[16];
  };
  std::vector<Aligned> storage(SegmentMemory::shared_bytes(sizeof(typename Element::Bits), sketch_size_) / 16 + 1);
  auto& memory = *new (storage.data()) SegmentMemory;
  const SegmentWork<Element> work{job, memory};
  std::vector<SegmentThread> threads(block_threads);
  for (std::size_t i = 0; i < block_threads; ++i) threads[i].index = i;
  const auto each = [&](const auto& phase) {
    for (SegmentThread& thread : threads) phase(thread);
  };
  each([&](auto& thread) { work.start(thread); });
  for (std::size_t piece = job.first_piece(); piece < job.end_piece(); ++piece) {
    each([&](auto& thread) { work.load(thread, piece); });
    each([&](auto& thread) { work.work(thread, piece); });
    if (piece > job.first_piece()) each([&](auto& thread) { work.finish(thread, piece - 1); });
    each([&](auto& thread) { work.fold(thread, piece); });
  }
  each([&](auto& thread) { work.finish(thread, job.end_piece() - 1); });
  each([&](auto& thread) { work.publish(thread); });
  each([&](auto& thread) { work.gather(thread); });
  each([&](auto& thread) { work.write(thread); });
}

void Walk::gather(const std::vector<PartialStatistics>& parts, const std::vector<double>& sketches, std::size_t first,
                  std::size_t end, PartialStatistics& result, double* sketch) const {
  const Parts all{parts.data() + first, sketches.data() + first * sketch_size_, end - first, sketch_size_};
  for (std::size_t thread = 0; thread < block_threads; ++thread) {
    gather_parts(all, thread, block_threads, result, sketch);
  }
}

template <typename Element>
PartialStatistics Walk::gathered(Scaling scaling) {
  const std::size_t segments = segments_of(bytes_.size()), spans = spans_of(bytes_.size());
  std::vector<PartialStatistics> of_segments(segments), of_spans(spans);
  std::vector<double> segment_sketches(segments * sketch_size_), span_sketches(spans * sketch_size_);
  for (std::size_t i = 0; i < segments; ++i) {
    walk_segment<Element>({reinterpret_cast<const unsigned char*>(bytes_.data()), bytes_.size(), i, sketch_size_,
                           scaling, piece_hashes_.data(), &of_segments[i], segment_sketches.data() + i * sketch_size_});
  }
  for (std::size_t i = 0; i < spans; ++i) {
    const std::size_t end = std::min(segments, (i + 1) * span_segments);
    gather(of_segments, segment_sketches, i * span_segments, end, of_spans[i], span_sketches.data() + i * sketch_size_);
  }
  PartialStatistics total;
  gather(of_spans, span_sketches, 0, spans, total, sketch_.data());
  return total;
}

Hash128 Walk::hash() const {
  const std::size_t length = piece_hashes_.size() * sizeof(xxh3::Hash);
  const auto* digests = reinterpret_cast<const unsigned char*>(piece_hashes_.data());
  if (length <= xxh3::longest_short_input) return to_hash128(xxh3::hash_short(digests, length));
  xxh3::SlabSums sums;
  for (std::size_t slab = 0; slab < xxh3::slab_count(length); ++slab) {
    for (std::size_t i = 0; i < xxh3::hashing_threads; ++i) xxh3::sum_slab({digests, length}, slab, i, sums);
    for (std::size_t i = 0; i < xxh3::accumulators; ++i) xxh3::chain_slab({digests, length}, slab, i, sums);
  }
  return to_hash128(xxh3::hash_of_accumulators(sums.accumulators, length));
}

}  // namespace

Fingerprint fingerprint_by_host_walk(std::span<const std::byte> bytes, DType dtype, FingerprintOptions options) {
  check_fingerprint(bytes.size(), dtype, options);
  if (options.sketch_size > max_device_sketch_size) throw std::logic_error("host walk: the sketch is too large");
  const DefaultFloatEnvironment environment;
  const bool whole = is_kept_whole(bytes.size(), dtype, options);
  Walk walk(bytes, whole || !is_numeric(dtype) ? 0 : options.sketch_size);
  if (!is_numeric(dtype)) {
    walk.run<OpaqueElement>();
    return {.hash = walk.hash()};
  }
  const DType real_dtype = component_dtype(dtype);
  with_element(real_dtype, [&](auto element) { walk.run<decltype(element)>(); });
  Fingerprint result{.hash = walk.hash(), .statistics = walk.statistics(), .sketch = walk.sketch()};
  if (whole) {
    result.sketch.resize(bytes.size() / item_size(real_dtype));
    with_element(real_dtype, [&](auto element) {
      for (std::size_t i = 0; i < result.sketch.size(); ++i) {
        result.sketch[i] = value_at<decltype(element)>(bytes.data(), i);
      }
    });
  }
  return result;
}

}  // namespace goldentrace
