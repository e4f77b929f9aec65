// content_hash (traces/hash.h) of bytes that arrive in parts.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "traces/hash.h"

namespace goldentrace {

class ContentHasher {
 public:
  ContentHasher();
  ~ContentHasher();
  ContentHasher(ContentHasher&&) noexcept;
  ContentHasher& operator=(ContentHasher&&) noexcept;

  void append(std::span<const std::byte> bytes);
  Hash128 finish();  // ends the hasher

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace goldentrace
