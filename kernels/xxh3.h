// XXH3-128 with seed 0 for CPU and GPU: the value of XXH3_128bits. Written from the specification of xxHash 0.8; parts
// are exposed so that threads can share the work on one input.
//
// Inputs of more than 240 bytes: stripes of 64 bytes are multiplied into 8 accumulators of 64 bits; within a block of
// 16 stripes the order of stripes does not matter; after each block but the last the accumulators are scrambled.
// A stripe consists of 4 vectors of 16 bytes, each of which feeds the 2 accumulators of its number.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/host_device.h"

namespace goldentrace::xxh3 {

struct Hash {
  std::uint64_t low, high;
};

inline constexpr std::size_t stripe_bytes = 64;
inline constexpr std::size_t block_stripes = 16;
inline constexpr std::size_t block_bytes = stripe_bytes * block_stripes;
inline constexpr std::size_t accumulators = 8;
inline constexpr std::size_t longest_short_input = 240;

inline constexpr std::uint64_t prime32_1 = 0x9E3779B1, prime32_2 = 0x85EBCA77, prime32_3 = 0xC2B2AE3D;
inline constexpr std::uint64_t prime64_1 = 0x9E3779B185EBCA87, prime64_2 = 0xC2B2AE3D27D4EB4F,
                               prime64_3 = 0x165667B19E3779F9, prime64_4 = 0x85EBCA77C2B2AE63,
                               prime64_5 = 0x27D4EB2F165667C5;

inline constexpr std::size_t secret_bytes = 192;
inline constexpr std::size_t secret_words = secret_bytes / 8;
#define GOLDENTRACE_XXH3_SECRET                                                                           \
  0xBE4BA423396CFEB8, 0x1CAD21F72C81017C, 0xDB979083E96DD4DE, 0x1F67B3B7A4A44072, 0x78E5C0CC4EE679CB,     \
      0x2172FFCC7DD05A82, 0x8E2443F7744608B8, 0x4C263A81E69035E0, 0xCB00C391BB52283C, 0xA32E531B8B65D088, \
      0x4EF90DA297486471, 0xD8ACDEA946EF1938, 0x3F349CE33F76FAA8, 0x1D4F0BC7C7BBDCF9, 0x3159B4CD4BE0518A, \
      0x647378D9C97E9FC8, 0xC3EBD33483ACC5EA, 0xEB6313FAFFA081C5, 0x49DAF0B751DD0D17, 0x9E68D429265516D3, \
      0xFCA1477D58BE162B, 0xCE31D07AD1B8F88F, 0x280416958F3ACB45, 0x7E404BBBCAFBD7AF
inline constexpr std::uint64_t secret_of_host[secret_words] = {GOLDENTRACE_XXH3_SECRET};
#if defined(__CUDACC__)
static __device__ const std::uint64_t secret_of_device[secret_words] = {GOLDENTRACE_XXH3_SECRET};
#endif
#undef GOLDENTRACE_XXH3_SECRET

// The 8 bytes of the secret from 8 * index on.
GOLDENTRACE_INLINE std::uint64_t secret_word(std::size_t index) {
#if defined(__CUDA_ARCH__)
  return secret_of_device[index];
#else
  return secret_of_host[index];
#endif
}

// The 8 bytes of the secret from `offset` on.
GOLDENTRACE_INLINE std::uint64_t secret_at(std::size_t offset) {
  const std::size_t shift = offset % 8 * 8;
  const std::uint64_t low = secret_word(offset / 8);
  return shift == 0 ? low : low >> shift | secret_word(offset / 8 + 1) << (64 - shift);
}

template <typename Word>
GOLDENTRACE_INLINE Word read(const unsigned char* bytes) {
  Word word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}
GOLDENTRACE_INLINE std::uint64_t read64(const unsigned char* bytes) { return read<std::uint64_t>(bytes); }
GOLDENTRACE_INLINE std::uint64_t read32(const unsigned char* bytes) { return read<std::uint32_t>(bytes); }

GOLDENTRACE_INLINE std::uint64_t high_product(std::uint64_t a, std::uint64_t b) {
#if defined(__CUDA_ARCH__)
  return __umul64hi(a, b);
#else
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(static_cast<Wide>(a) * b >> 64);
#endif
}

GOLDENTRACE_INLINE std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) { return a * b ^ high_product(a, b); }

GOLDENTRACE_INLINE std::uint32_t swapped32(std::uint32_t value) {
  return value << 24 | (value & 0xFF00) << 8 | (value >> 8 & 0xFF00) | value >> 24;
}

GOLDENTRACE_INLINE std::uint64_t swapped64(std::uint64_t value) {
  return static_cast<std::uint64_t>(swapped32(static_cast<std::uint32_t>(value))) << 32 |
         swapped32(static_cast<std::uint32_t>(value >> 32));
}

GOLDENTRACE_INLINE std::uint64_t avalanche(std::uint64_t value) {
  value = (value ^ value >> 37) * 0x165667919E3779F9;
  return value ^ value >> 32;
}

GOLDENTRACE_INLINE std::uint64_t avalanche_of_xxh64(std::uint64_t value) {
  value = (value ^ value >> 33) * prime64_2;
  value = (value ^ value >> 29) * prime64_3;
  return value ^ value >> 32;
}

// --- inputs of at most 240 bytes ---

GOLDENTRACE_HD Hash hash_of_nothing() {
  return {avalanche_of_xxh64(secret_word(8) ^ secret_word(9)), avalanche_of_xxh64(secret_word(10) ^ secret_word(11))};
}

GOLDENTRACE_HD Hash hash_1_to_3(const unsigned char* bytes, std::size_t length) {
  const std::uint32_t low = static_cast<std::uint32_t>(bytes[0]) << 16 |
                            static_cast<std::uint32_t>(bytes[length / 2]) << 24 | bytes[length - 1] |
                            static_cast<std::uint32_t>(length) << 8;
  const std::uint32_t swapped = swapped32(low);
  const std::uint32_t high = swapped << 13 | swapped >> 19;
  const auto key = [](std::uint64_t word) { return (word & 0xFFFFFFFF) ^ word >> 32; };
  return {avalanche_of_xxh64(low ^ key(secret_word(0))), avalanche_of_xxh64(high ^ key(secret_word(1)))};
}

GOLDENTRACE_HD Hash hash_4_to_8(const unsigned char* bytes, std::size_t length) {
  const std::uint64_t input = read32(bytes) + (read32(bytes + length - 4) << 32);
  const std::uint64_t keyed = input ^ secret_word(2) ^ secret_word(3);
  const std::uint64_t factor = prime64_1 + (length << 2);
  std::uint64_t low = keyed * factor;
  const std::uint64_t high = high_product(keyed, factor) + (low << 1);
  low ^= high >> 3;
  low = (low ^ low >> 35) * 0x9FB21C651E98DF25;
  return {low ^ low >> 28, avalanche(high)};
}

GOLDENTRACE_HD Hash hash_9_to_16(const unsigned char* bytes, std::size_t length) {
  const std::uint64_t first = read64(bytes), last = read64(bytes + length - 8);
  const std::uint64_t mixed = first ^ last ^ secret_word(4) ^ secret_word(5);
  const std::uint64_t keyed = last ^ secret_word(6) ^ secret_word(7);
  const std::uint64_t high =
      high_product(mixed, prime64_1) + keyed + static_cast<std::uint32_t>(keyed) * (prime32_2 - 1);
  const std::uint64_t low = (mixed * prime64_1 + ((length - 1) << 54)) ^ swapped64(high);
  return {avalanche(low * prime64_2), avalanche(high_product(low, prime64_2) + high * prime64_2)};
}

// Mixes 16 bytes at `one` and 16 bytes at `other` in.
GOLDENTRACE_HD void mix(Hash& sum, const unsigned char* one, const unsigned char* other, std::size_t secret) {
  const std::uint64_t a = read64(one), b = read64(one + 8), c = read64(other), d = read64(other + 8);
  sum.low += folded_product(a ^ secret_at(secret), b ^ secret_at(secret + 8));
  sum.low ^= c + d;
  sum.high += folded_product(c ^ secret_at(secret + 16), d ^ secret_at(secret + 24));
  sum.high ^= a + b;
}

GOLDENTRACE_HD Hash finish_mix(const Hash& sum, std::size_t length) {
  const std::uint64_t high = sum.low * prime64_1 + sum.high * prime64_4 + length * prime64_2;
  return {avalanche(sum.low + sum.high), std::uint64_t{0} - avalanche(high)};
}

GOLDENTRACE_HD Hash hash_17_to_128(const unsigned char* bytes, std::size_t length) {
  Hash sum{length * prime64_1, 0};
  for (std::size_t pair = (length - 1) / 32 + 1; pair-- > 0;) {
    mix(sum, bytes + 16 * pair, bytes + length - 16 * (pair + 1), 32 * pair);
  }
  return finish_mix(sum, length);
}

GOLDENTRACE_HD Hash hash_129_to_240(const unsigned char* bytes, std::size_t length) {
  Hash sum{length * prime64_1, 0};
  for (std::size_t i = 0; i < 4; ++i) mix(sum, bytes + 32 * i, bytes + 32 * i + 16, 32 * i);
  sum = {avalanche(sum.low), avalanche(sum.high)};
  for (std::size_t i = 4; i < length / 32; ++i) mix(sum, bytes + 32 * i, bytes + 32 * i + 16, 3 + 32 * (i - 4));
  mix(sum, bytes + length - 16, bytes + length - 32, 103);
  return finish_mix(sum, length);
}

GOLDENTRACE_HD Hash hash_short(const unsigned char* bytes, std::size_t length) {
  if (length == 0) return hash_of_nothing();
  if (length <= 3) return hash_1_to_3(bytes, length);
  if (length <= 8) return hash_4_to_8(bytes, length);
  if (length <= 16) return hash_9_to_16(bytes, length);
  if (length <= 128) return hash_17_to_128(bytes, length);
  return hash_129_to_240(bytes, length);
}

// --- longer inputs ---

// Full blocks, each followed by a scrambling; what is left has at least one byte and at most one block.
GOLDENTRACE_INLINE std::size_t scrambled_blocks(std::size_t length) { return (length - 1) / block_bytes; }

// Whole stripes of the block behind those; besides them the last 64 bytes of the input are one stripe more.
GOLDENTRACE_INLINE std::size_t last_stripes(std::size_t length) { return (length - 1) % block_bytes / stripe_bytes; }

GOLDENTRACE_INLINE std::uint64_t initial_accumulator(std::size_t number) {
  switch (number) {
    case 0:
      return prime32_3;
    case 1:
      return prime64_1;
    case 2:
      return prime64_2;
    case 3:
      return prime64_3;
    case 4:
      return prime64_4;
    case 5:
      return prime32_2;
    case 6:
      return prime64_5;
    default:
      return prime32_1;
  }
}

// What vectors add to the two accumulators of their number.
struct VectorSum {
  std::uint64_t even, odd;
};

GOLDENTRACE_INLINE std::uint64_t half_product(std::uint64_t value) { return (value & 0xFFFFFFFF) * (value >> 32); }

GOLDENTRACE_INLINE void add_vector(VectorSum& sum, std::uint64_t first, std::uint64_t second, std::uint64_t first_key,
                                   std::uint64_t second_key) {
  sum.even += half_product(first ^ first_key) + second;
  sum.odd += half_product(second ^ second_key) + first;
}

// Vector `number` (0 … 3) of stripe `stripe` of a block.
GOLDENTRACE_INLINE void add_vector(VectorSum& sum, const unsigned char* vector, std::size_t stripe,
                                   std::size_t number) {
  const std::size_t key = stripe + 2 * number;
  add_vector(sum, read64(vector), read64(vector + 8), secret_word(key), secret_word(key + 1));
}

// Vector `number` of the last 64 bytes.
GOLDENTRACE_INLINE void add_last_vector(VectorSum& sum, const unsigned char* vector, std::size_t number) {
  constexpr std::size_t secret = secret_bytes - stripe_bytes - 7;
  const std::size_t key = secret + 16 * number;
  add_vector(sum, read64(vector), read64(vector + 8), secret_at(key), secret_at(key + 8));
}

GOLDENTRACE_INLINE std::uint64_t scrambled(std::uint64_t accumulator, std::size_t number) {
  const std::uint64_t key = secret_word((secret_bytes - stripe_bytes) / 8 + number);
  return (accumulator ^ accumulator >> 47 ^ key) * prime32_1;
}

GOLDENTRACE_HD std::uint64_t merged(const std::uint64_t* sums, std::size_t secret, std::uint64_t start) {
  for (std::size_t i = 0; i < accumulators; i += 2) {
    start += folded_product(sums[i] ^ secret_at(secret + 8 * i), sums[i + 1] ^ secret_at(secret + 8 * i + 8));
  }
  return avalanche(start);
}

GOLDENTRACE_HD Hash hash_of_accumulators(const std::uint64_t* sums, std::size_t length) {
  return {merged(sums, 11, length * prime64_1),
          merged(sums, secret_bytes - 8 * accumulators - 11, ~(static_cast<std::uint64_t>(length) * prime64_2))};
}

}  // namespace goldentrace::xxh3
