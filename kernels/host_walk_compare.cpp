#include <algorithm>
#include <vector>

#include "kernels/compare_result.h"
#include "kernels/float_environment.h"
#include "kernels/host_walk.h"
#include "kernels/pair_block.h"
#include "kernels/shuffle_byte.h"

namespace goldentrace {
namespace {

class HostPasses : public PairPasses {
 public:
  PairPart elements(const PairView& pair, const PairScaling& scaling, std::uint64_t* histogram) override {
    PairMemory memory{};
    std::vector<PairPart> parts((pair.elements + pair_tile - 1) / pair_tile);
    for (std::size_t block = 0; block < parts.size(); ++block) {
      for (std::size_t i = 0; i < pair_threads; ++i) {
        visit_tile(pair, scaling, static_cast<std::int64_t>(block), i, memory);
      }
      parts[block] = folded(memory);
    }
    for (std::size_t i = 0; i < pair_threads; ++i) gather_tiles(parts.data(), parts.size(), i, memory);
    std::copy_n(memory.histogram, pair_histogram, histogram);
    return folded(memory);
  }

  Largest rows(const PairView& pair, const PairScaling& scaling, const RowJob& job) override {
    Largest worst;
    for (std::int64_t row = 0; row < job.rows; ++row) {
      judge_row(shares_rows(job) ? shared_row(pair, scaling, job, row) : row_share(pair, scaling, job, row, 0, 1), job,
                row, worst);
    }
    return worst;
  }

 private:
  static SquareSums shared_row(const PairView& pair, const PairScaling& scaling, const RowJob& job, std::int64_t row) {
    RowMemory memory;
    for (std::size_t i = 0; i < pair_threads; ++i) {
      memory.sums[i] = row_share(pair, scaling, job, row, static_cast<std::int64_t>(i), pair_threads);
    }
    return folded_row(memory);
  }
};

}  // namespace

Comparison compare_by_host_walk(const TensorView& a, const TensorView& b, const CompareOptions& options) {
  const DefaultFloatEnvironment environment;
  HostPasses passes;
  return compare_by_passes(a, b, options, passes);
}

void shuffle_by_host_walk(std::span<const std::byte> in, std::size_t item_bytes, std::span<std::byte> out) {
  const ShuffleJob job{reinterpret_cast<const unsigned char*>(in.data()), reinterpret_cast<unsigned char*>(out.data()),
                       in.size(), item_bytes};
  for (std::size_t i = 0; i < in.size(); ++i) shuffle_byte(job, i);
}

}  // namespace goldentrace
