#include "traces/hash.h"

#include <algorithm>
#include <array>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace goldentrace {
namespace {

// Digests are gathered for this many pieces before they are fed to the outer hash: no allocation for any size.
constexpr std::size_t gathered_pieces = 256;

void put_little_endian(std::uint64_t value, std::byte* out) {
  for (int i = 0; i < 8; ++i) out[i] = static_cast<std::byte>(value >> (8 * i));
}

Hash128 from_xxh(XXH128_hash_t hash) { return {hash.low64, hash.high64}; }

}  // namespace

Hash128 piece_hash(std::span<const std::byte> piece) { return from_xxh(XXH3_128bits(piece.data(), piece.size())); }

Hash128 content_hash(std::span<const std::byte> bytes) {
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  std::array<std::byte, gathered_pieces * 16> digests;
  while (!bytes.empty()) {
    std::size_t used = 0;
    while (!bytes.empty() && used < digests.size()) {
      const std::size_t length = std::min(bytes.size(), hash_piece_bytes);
      const Hash128 digest = piece_hash(bytes.first(length));
      put_little_endian(digest.low, digests.data() + used);
      put_little_endian(digest.high, digests.data() + used + 8);
      used += 16;
      bytes = bytes.subspan(length);
    }
    XXH3_128bits_update(&state, digests.data(), used);
  }
  return from_xxh(XXH3_128bits_digest(&state));
}

std::string to_hex(Hash128 hash) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text(32, '0');
  for (int i = 0; i < 16; ++i) {
    text[15 - i] = digits[(hash.high >> (4 * i)) & 15];
    text[31 - i] = digits[(hash.low >> (4 * i)) & 15];
  }
  return text;
}

}  // namespace goldentrace
