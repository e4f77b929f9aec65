#include "kernels/xxh3.h"

#include <gtest/gtest.h>
#include <xxhash.h>

#include <vector>

#include "kernels/xxh3_block.h"
#include "tests/kernels/tensors.h"

namespace goldentrace {
namespace {

struct alignas(16) Block {
  unsigned char bytes[16];
};

std::vector<Block> random_input(std::size_t length) {
  std::vector<Block> blocks(length / 16 + 1);
  const auto bytes = testing::random_bytes(length, length);
  if (length > 0) std::memcpy(blocks.data(), bytes.data(), length);
  return blocks;
}

xxh3::Hash hash_by_threads(const unsigned char* bytes, std::size_t length) {
  if (length <= xxh3::longest_short_input) return xxh3::hash_short(bytes, length);
  xxh3::SlabSums sums;
  for (std::size_t slab = 0; slab < xxh3::slab_count(length); ++slab) {
    for (std::size_t i = 0; i < xxh3::hashing_threads; ++i) xxh3::sum_slab({bytes, length}, slab, i, sums);
    for (std::size_t i = 0; i < xxh3::accumulators; ++i) xxh3::chain_slab({bytes, length}, slab, i, sums);
  }
  return xxh3::hash_of_accumulators(sums.accumulators, length);
}

void expect_value_of_library(std::size_t length) {
  const std::vector<Block> input = random_input(length);
  const XXH128_hash_t expected = XXH3_128bits(input.data(), length);
  const xxh3::Hash actual = hash_by_threads(input.data()->bytes, length);
  ASSERT_EQ(actual.low, expected.low64) << length;
  ASSERT_EQ(actual.high, expected.high64) << length;
}

TEST(Xxh3, EveryLengthUpToAPiece) {
  for (std::size_t length = 0; length <= 2100; ++length) expect_value_of_library(length);
  for (std::size_t length = 2100; length <= 16384; length += 37) expect_value_of_library(length);
  for (std::size_t length = 16320; length <= 16384; ++length) expect_value_of_library(length);
}

TEST(Xxh3, DigestsOfManyPieces) {
  for (std::size_t pieces : {1, 14, 15, 16, 17, 63, 64, 65, 1023, 1024, 1025, 1028, 5000, 20000}) {
    expect_value_of_library(16 * pieces);
  }
}

}  // namespace
}  // namespace goldentrace
