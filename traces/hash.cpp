#include "traces/hash.h"

#include <algorithm>
#include <array>
#include <string_view>

// The library's own choice of vector instructions at run time is twice as fast as what every x86-64 has.
#ifdef GOLDENTRACE_XXHASH_DISPATCH
#define XXH_STATIC_LINKING_ONLY
#include <xxh_x86dispatch.h>
#else
#define XXH_INLINE_ALL
#include <xxhash.h>
#endif

#include "traces/content_hasher.h"

namespace goldentrace {
namespace {

// Digests are gathered for this many pieces before they are fed to the outer hash: no allocation for any size.
constexpr std::size_t gathered_pieces = 256;

void put_little_endian(std::uint64_t value, std::byte* out) {
  for (int i = 0; i < 8; ++i) out[i] = static_cast<std::byte>(value >> (8 * i));
}

Hash128 from_xxh(XXH128_hash_t hash) { return {hash.low64, hash.high64}; }

// The outer hash over the digests of pieces.
class DigestHash {
 public:
  DigestHash() { XXH3_128bits_reset(&state_); }

  void add(std::span<const std::byte> piece) {
    const Hash128 digest = piece_hash(piece);
    put_little_endian(digest.low, gathered_.data() + used_);
    put_little_endian(digest.high, gathered_.data() + used_ + 8);
    used_ += 16;
    if (used_ == gathered_.size()) feed();
  }

  Hash128 finish() {
    feed();
    return from_xxh(XXH3_128bits_digest(&state_));
  }

 private:
  void feed() {
    XXH3_128bits_update(&state_, gathered_.data(), used_);
    used_ = 0;
  }

  XXH3_state_t state_;
  std::array<std::byte, gathered_pieces * 16> gathered_;
  std::size_t used_ = 0;
};

}  // namespace

Hash128 piece_hash(std::span<const std::byte> piece) { return from_xxh(XXH3_128bits(piece.data(), piece.size())); }

Hash128 content_hash(std::span<const std::byte> bytes) {
  DigestHash outer;
  while (!bytes.empty()) {
    const std::size_t length = std::min(bytes.size(), hash_piece_bytes);
    outer.add(bytes.first(length));
    bytes = bytes.subspan(length);
  }
  return outer.finish();
}

struct ContentHasher::State {
  DigestHash outer;
  std::array<std::byte, hash_piece_bytes> piece;
  std::size_t used = 0;
};

ContentHasher::ContentHasher() : state_(new State) {}
ContentHasher::~ContentHasher() = default;
ContentHasher::ContentHasher(ContentHasher&&) noexcept = default;
ContentHasher& ContentHasher::operator=(ContentHasher&&) noexcept = default;

void ContentHasher::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::size_t length = std::min(bytes.size(), hash_piece_bytes - state_->used);
    std::copy_n(bytes.begin(), length, state_->piece.begin() + static_cast<std::ptrdiff_t>(state_->used));
    state_->used += length;
    bytes = bytes.subspan(length);
    if (state_->used == hash_piece_bytes) {
      state_->outer.add(state_->piece);
      state_->used = 0;
    }
  }
}

Hash128 ContentHasher::finish() {
  if (state_->used > 0) state_->outer.add(std::span(state_->piece).first(state_->used));
  return state_->outer.finish();
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
