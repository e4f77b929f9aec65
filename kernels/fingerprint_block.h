// The work of one block of threads on one segment of a tensor: what a CUDA kernel does between its barriers, and what
// the walk on the host does thread by thread. Per piece: load | work | fold, and then finish beside the next one's work
// or after the last one; "|" is a barrier.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/element.h"
#include "kernels/fingerprint_order.h"
#include "kernels/host_device.h"
#include "kernels/sketch_hash.h"
#include "kernels/xxh3.h"
#include "kernels/xxh3_block.h"

namespace goldentrace {

inline constexpr std::size_t block_threads = 256;
inline constexpr std::size_t kept_rotations = 66;

static_assert(block_threads == xxh3::hashing_threads && order_piece_bytes == xxh3::slab_bytes);

// The job of one block of threads. Pointers are shared by all its threads.
struct SegmentJob {
  const unsigned char* tensor;
  std::size_t tensor_bytes;
  std::size_t segment;
  std::size_t sketch_size;    // 0: none
  Scaling scaling;            // of float64
  xxh3::Hash* piece_hashes;   // of the whole tensor; null: none are taken
  PartialStatistics* result;  // of this segment
  double* sketch_result;      // sketch_size sums

  GOLDENTRACE_HD std::size_t first_piece() const { return segment * segment_pieces; }
  GOLDENTRACE_HD std::size_t end_piece() const {
    const std::size_t pieces = (tensor_bytes + order_piece_bytes - 1) / order_piece_bytes;
    const std::size_t end = first_piece() + segment_pieces;
    return end < pieces ? end : pieces;
  }
  GOLDENTRACE_HD std::size_t piece_bytes(std::size_t piece) const {
    const std::size_t left = tensor_bytes - piece * order_piece_bytes;
    return left < order_piece_bytes ? left : order_piece_bytes;
  }
};

// Memory of one block of threads. Only its first shared_bytes() are used.
struct SegmentMemory {
  alignas(16) unsigned char data[order_piece_bytes];  // at the end: the threads' PartialStatistics
  std::uint64_t signs[order_piece_bytes / sketch_sign_group];
  std::uint32_t rotations[kept_rotations];
  xxh3::SlabSums hash;
  double lanes[2][group_lanes];
  double sums[1];  // group sums (2 x groups x lanes), then the sketch

  static GOLDENTRACE_HD std::size_t groups(std::size_t element_bytes) {
    return order_piece_bytes / element_bytes / group_elements;
  }
  static GOLDENTRACE_HD std::size_t shared_bytes(std::size_t element_bytes, std::size_t sketch_size) {
    return sizeof(SegmentMemory) + (2 * groups(element_bytes) * group_lanes + sketch_size) * sizeof(double);
  }
  GOLDENTRACE_HD double* group_sums(std::size_t which, std::size_t group) {
    return sums + (2 * group + which) * group_lanes;
  }
  GOLDENTRACE_HD double* sketch(std::size_t element_bytes) { return sums + 2 * groups(element_bytes) * group_lanes; }
};

static_assert(sizeof(PartialStatistics) * block_threads == order_piece_bytes, "they fit where the data was");

// What a thread keeps from piece to piece.
struct SegmentThread {
  std::size_t index;
  PartialStatistics statistics{};  // sums: only of the threads that finish lanes
};

// Element: of kernels/element.h, or OpaqueElement for tensors that are only hashed.
struct OpaqueElement {
  using Bits = std::uint8_t;
  static GOLDENTRACE_INLINE double value(Bits) { return 0; }
};

template <typename Element>
struct SegmentWork {
  using Bits = typename Element::Bits;
  static constexpr bool numeric = !std::is_same<Element, OpaqueElement>::value;
  static constexpr std::size_t piece_elements = order_piece_bytes / sizeof(Bits);

  const SegmentJob& job;
  SegmentMemory& memory;

  GOLDENTRACE_HD void start(const SegmentThread& thread) const {
    double* sketch = memory.sketch(sizeof(Bits));
    for (std::size_t i = thread.index; i < job.sketch_size; i += block_threads) sketch[i] = 0;
  }

  GOLDENTRACE_HD void load(const SegmentThread& thread, std::size_t piece) const {
    const unsigned char* from = job.tensor + piece * order_piece_bytes;
    const std::size_t bytes = job.piece_bytes(piece);
    copy(from, bytes, thread.index);
    if (!numeric || job.sketch_size == 0) return;
    const std::uint64_t first = piece * piece_elements;
    const std::size_t words = (bytes / sizeof(Bits) + sketch_sign_group - 1) / sketch_sign_group;
    for (std::size_t i = thread.index; i < words; i += block_threads) {
      memory.signs[i] = sketch_signs(first / sketch_sign_group + i);
    }
    if (thread.index < kept_rotations) {
      const std::uint64_t block = first / job.sketch_size + thread.index;
      memory.rotations[thread.index] = static_cast<std::uint32_t>(sketch_rotation(block, job.sketch_size));
    }
  }

  GOLDENTRACE_HD void work(SegmentThread& thread, std::size_t piece) const {
    const std::size_t bytes = job.piece_bytes(piece);
    if (hashes_long(bytes)) xxh3::sum_slab({memory.data, bytes}, 0, thread.index, memory.hash);
    if (!numeric) return;
    const std::size_t elements = bytes / sizeof(Bits);
    const std::size_t tasks = SegmentMemory::groups(sizeof(Bits)) * group_lanes;
    for (std::size_t task = thread.index; task < tasks; task += block_threads) sum_lane(thread, task, elements);
    for (std::size_t bucket = thread.index; bucket < job.sketch_size; bucket += block_threads) {
      add_to_bucket(bucket, piece * piece_elements, elements);
    }
  }

  GOLDENTRACE_HD void fold(const SegmentThread& thread, std::size_t piece) const {
    const std::size_t bytes = job.piece_bytes(piece);
    if (thread.index < xxh3::accumulators) {
      if (hashes_long(bytes)) xxh3::chain_slab({memory.data, bytes}, 0, thread.index, memory.hash);
    } else if (numeric && thread.index >= 32 && thread.index < 32 + 2 * group_lanes) {
      const std::size_t which = (thread.index - 32) / group_lanes, lane = (thread.index - 32) % group_lanes;
      double sum = 0;
      for (std::size_t g = 0; g < SegmentMemory::groups(sizeof(Bits)); ++g) sum += memory.group_sums(which, g)[lane];
      memory.lanes[which][lane] = sum;
    }
  }

  GOLDENTRACE_HD void finish(SegmentThread& thread, std::size_t piece) const {
    if (thread.index == 0 && job.piece_hashes != nullptr) {
      const std::size_t bytes = job.piece_bytes(piece);
      job.piece_hashes[piece] = hashes_long(bytes) ? xxh3::hash_of_accumulators(memory.hash.accumulators, bytes)
                                                   : xxh3::hash_short(memory.data, bytes);
    }
    if (!numeric) return;
    if (thread.index == 32) thread.statistics.sum += folded(memory.lanes[0]);
    if (thread.index == 64) thread.statistics.squares += folded(memory.lanes[1]);
  }

  // After the last piece, with a barrier before each: publish | gather | write.
  GOLDENTRACE_HD void publish(const SegmentThread& thread) const { of_threads()[thread.index] = thread.statistics; }
  GOLDENTRACE_HD void gather(const SegmentThread& thread) const {
    if (thread.index >= 16) return;
    for (std::size_t i = thread.index + 16; i < block_threads; i += 16) {
      add(of_threads()[thread.index], of_threads()[i]);
    }
  }
  GOLDENTRACE_HD void write(const SegmentThread& thread) const {
    const double* sketch = memory.sketch(sizeof(Bits));
    for (std::size_t i = thread.index; i < job.sketch_size; i += block_threads) job.sketch_result[i] = sketch[i];
    if (thread.index != 0) return;
    PartialStatistics total;
    for (std::size_t i = 0; i < 16; ++i) add(total, of_threads()[i]);
    *job.result = total;
  }

 private:
  GOLDENTRACE_HD PartialStatistics* of_threads() const { return reinterpret_cast<PartialStatistics*>(memory.data); }

  using Vector = xxh3::Vector;

  GOLDENTRACE_HD bool hashes_long(std::size_t bytes) const {
    return job.piece_hashes != nullptr && bytes > xxh3::longest_short_input;
  }

  GOLDENTRACE_HD void copy(const unsigned char* from, std::size_t bytes, std::size_t thread) const {
    std::size_t copied = 0;
    if (reinterpret_cast<std::uintptr_t>(from) % sizeof(Vector) == 0) {
      const auto* vectors = reinterpret_cast<const Vector*>(from);
      auto* to = reinterpret_cast<Vector*>(memory.data);
      for (std::size_t i = thread; i < bytes / sizeof(Vector); i += block_threads) to[i] = vectors[i];
      copied = bytes / sizeof(Vector) * sizeof(Vector);
    }
    for (std::size_t i = copied + thread; i < bytes; i += block_threads) memory.data[i] = from[i];
  }

  // Element `index` of the piece; 0 where it is not finite.
  GOLDENTRACE_INLINE double finite_value(std::size_t index) const {
    const double value = Element::value(reinterpret_cast<const Bits*>(memory.data)[index]);
    return value - value == 0 ? value : 0;
  }

  // One lane of one group.
  GOLDENTRACE_HD void sum_lane(SegmentThread& thread, std::size_t task, std::size_t elements) const {
    const std::size_t group = task / group_lanes, lane = task % group_lanes;
    double sum = 0, squares = 0;
    for (std::size_t row = 0; row < group_rows; ++row) {
      const std::size_t index = group * group_elements + row * group_lanes + lane;
      if (index >= elements) break;
      const double value = Element::value(reinterpret_cast<const Bits*>(memory.data)[index]);
      if (!note(thread.statistics, value)) continue;
      const double scaled = std::is_same<Bits, double>::value ? job.scaling(value) : value;
      sum += scaled;
      squares += scaled * scaled;
    }
    memory.group_sums(0, group)[lane] = sum;
    memory.group_sums(1, group)[lane] = squares;
  }

  // Everything but the sums. False: not finite.
  static GOLDENTRACE_INLINE bool note(PartialStatistics& statistics, double value) {
    if (value - value != 0) {
      ++(value != value ? statistics.nan : statistics.infinite);
      return false;
    }
    statistics.min = statistics.finite > 0 && statistics.min < value ? statistics.min : value;
    statistics.max = statistics.finite > 0 && statistics.max > value ? statistics.max : value;
    statistics.zero += value == 0 ? 1 : 0;
    ++statistics.finite;
    return true;
  }

  // All elements of the piece that fall in one bucket. `first`: the number of the piece's first element in the tensor.
  GOLDENTRACE_HD void add_to_bucket(std::size_t bucket, std::uint64_t first, std::size_t elements) const {
    double& kept = memory.sketch(sizeof(Bits))[bucket];
    const std::uint64_t m = job.sketch_size, first_block = first / m;
    double sum = kept;
    for (std::uint64_t block = first_block; block * m < first + elements; ++block) {
      const std::uint64_t rotation =
          block - first_block < kept_rotations ? memory.rotations[block - first_block] : sketch_rotation(block, m);
      const std::uint64_t index = block * m + (bucket >= rotation ? bucket - rotation : bucket + m - rotation);
      if (index < first || index >= first + elements) continue;
      const auto place = static_cast<std::size_t>(index - first);
      const double value = finite_value(place);
      sum += memory.signs[place / sketch_sign_group] >> place % sketch_sign_group & 1 ? -value : value;
    }
    kept = sum;
  }
};

}  // namespace goldentrace
