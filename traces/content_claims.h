// Which contents a journal holds already.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "traces/record.h"

namespace goldentrace {

struct ContentKey {
  Hash128 hash;
  DType dtype = DType::float32;
  std::uint64_t bytes = 0;

  bool operator==(const ContentKey&) const = default;
};

// Any thread.
class ContentClaims {
 public:
  std::optional<std::uint64_t> find(const ContentKey& key) const {
    const std::lock_guard lock(mutex_);
    const auto found = numbers_.find(key);
    return found == numbers_.end() ? std::nullopt : std::optional(found->second);
  }
  void claim(const ContentKey& key, std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    numbers_.emplace(key, number);
  }

 private:
  struct Hasher {
    std::size_t operator()(const ContentKey& key) const {
      return key.hash.low ^ (key.bytes * 0x9e3779b97f4a7c15ull) ^ static_cast<std::size_t>(key.dtype);
    }
  };

  mutable std::mutex mutex_;
  // Entries stay as long as the journal. Allocated one by one they would settle in the places that freed tensors leave,
  // one tensor's worth of memory lost for each.
  std::pmr::monotonic_buffer_resource memory_{std::size_t{1} << 20};
  std::pmr::unordered_map<ContentKey, std::uint64_t, Hasher> numbers_{&memory_};
};

}  // namespace goldentrace
