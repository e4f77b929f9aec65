// The content hash of goldentrace: XXH3-128 over the XXH3-128 values of consecutive 16 KiB pieces.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace goldentrace {

struct Hash128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  auto operator<=>(const Hash128&) const = default;
};

inline constexpr std::size_t hash_piece_bytes = 16384;

// Each piece gives 16 bytes (low, high, little-endian); the result is XXH3-128 of all of them, seed 0.
// Pieces are independent, so a GPU can compute the same value. No bytes: XXH3-128 of nothing.
Hash128 content_hash(std::span<const std::byte> bytes);

// Plain XXH3-128 of one piece, the building block of content_hash.
Hash128 piece_hash(std::span<const std::byte> piece);

std::string to_hex(Hash128 hash);  // 32 digits, high half first

}  // namespace goldentrace
