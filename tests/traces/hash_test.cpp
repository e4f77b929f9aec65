#include "traces/hash.h"

#include <gtest/gtest.h>
#include <xxhash.h>

#include <vector>

namespace goldentrace {
namespace {

std::vector<std::byte> pattern(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 31 + i / 251);
  return bytes;
}

// The definition, word for word, with the library's own one-shot calls.
Hash128 expected(const std::vector<std::byte>& bytes) {
  std::vector<unsigned char> digests;
  for (std::size_t at = 0; at < bytes.size(); at += 16384) {
    const XXH128_hash_t piece = XXH3_128bits(bytes.data() + at, std::min<std::size_t>(16384, bytes.size() - at));
    for (std::uint64_t half : {piece.low64, piece.high64}) {
      for (int i = 0; i < 8; ++i) digests.push_back(static_cast<unsigned char>(half >> (8 * i)));
    }
  }
  const XXH128_hash_t all = XXH3_128bits(digests.data(), digests.size());
  return {all.low64, all.high64};
}

TEST(Hash, IsXxh3OfThePiecesXxh3) {
  for (std::size_t size : {0, 1, 16383, 16384, 16385, 5 * 16384, 300 * 16384 + 7}) {
    const std::vector<std::byte> bytes = pattern(size);
    EXPECT_EQ(content_hash(bytes), expected(bytes)) << size;
  }
}

TEST(Hash, NoticesOneBit) {
  std::vector<std::byte> bytes = pattern(40000);
  const Hash128 before = content_hash(bytes);
  bytes[39999] ^= std::byte{1};
  EXPECT_NE(content_hash(bytes), before);
}

TEST(Hash, IsPrintedHighHalfFirst) {
  EXPECT_EQ(to_hex({.low = 0x0123456789abcdef, .high = 0xfedcba9876543210}), "fedcba98765432100123456789abcdef");
  EXPECT_EQ(to_hex(content_hash({})), "99aa06d3014798d86001c324468d497f");  // published value of XXH3-128 of nothing
}

}  // namespace
}  // namespace goldentrace
