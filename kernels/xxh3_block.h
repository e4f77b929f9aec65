// XXH3-128 of one long input by the 256 threads of a block, 16 KiB at a time: sum | chain, and after the last of them
// the accumulators are the hash's; "|" is a barrier.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/host_device.h"
#include "kernels/xxh3.h"

namespace goldentrace::xxh3 {

inline constexpr std::size_t slab_bytes = 16 * block_bytes;
inline constexpr std::size_t quarters = 4;  // each sums a quarter of a block's stripes
inline constexpr std::size_t hashing_threads =
    slab_bytes / block_bytes * quarters * 4;  // the last: vectors of a stripe

struct alignas(16) Vector {
  std::uint64_t low, high;
};

// More than longest_short_input bytes, aligned to 16.
struct LongInput {
  const unsigned char* bytes;
  std::size_t length;
};

// Shared by the threads.
struct SlabSums {
  VectorSum vectors[hashing_threads];
  VectorSum last[4];
  std::uint64_t accumulators[xxh3::accumulators];
};

// Thread 0 … 255: a quarter of the stripes of one block, one vector of each. Thread 0 … 3: the last stripe too.
GOLDENTRACE_HD void sum_slab(const LongInput& input, std::size_t slab, std::size_t thread, SlabSums& sums) {
  const std::size_t vector = thread % 4, quarter = thread / 4 % quarters, block = slab * 16 + thread / 16;
  const std::size_t scrambled = scrambled_blocks(input.length);
  const std::size_t stripes = block < scrambled ? block_stripes : block == scrambled ? last_stripes(input.length) : 0;
  const unsigned char* at = input.bytes + block * block_bytes + 16 * vector;
  VectorSum sum{0, 0};
  for (std::size_t stripe = quarter; stripe < stripes; stripe += quarters) {
    const Vector words = *reinterpret_cast<const Vector*>(at + stripe * stripe_bytes);
    const std::size_t key = stripe + 2 * vector;
    add_vector(sum, words.low, words.high, secret_word(key), secret_word(key + 1));
  }
  sums.vectors[thread] = sum;
  if (thread >= 4) return;
  sums.last[thread] = {0, 0};
  add_last_vector(sums.last[thread], input.bytes + input.length - stripe_bytes + 16 * vector, vector);
}

GOLDENTRACE_INLINE std::uint64_t half(const VectorSum& sum, std::size_t number) {
  return number % 2 == 0 ? sum.even : sum.odd;
}

// Accumulator `number` through the blocks of the slab; slabs in order.
GOLDENTRACE_HD void chain_slab(const LongInput& input, std::size_t slab, std::size_t number, SlabSums& sums) {
  const std::size_t scrambled = scrambled_blocks(input.length);
  std::uint64_t sum = slab == 0 ? initial_accumulator(number) : sums.accumulators[number];
  for (std::size_t block = 0; block < 16 && slab * 16 + block <= scrambled; ++block) {
    for (std::size_t quarter = 0; quarter < quarters; ++quarter) {
      sum += half(sums.vectors[(block * quarters + quarter) * 4 + number / 2], number);
    }
    sum = slab * 16 + block < scrambled ? xxh3::scrambled(sum, number) : sum + half(sums.last[number / 2], number);
  }
  sums.accumulators[number] = sum;
}

GOLDENTRACE_HD std::size_t slab_count(std::size_t length) { return scrambled_blocks(length) / 16 + 1; }

}  // namespace goldentrace::xxh3
