// What is left of a file when everything that has a hash of its own is taken away: libhdf5's metadata and gaps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "traces/hash.h"

namespace goldentrace {

struct ByteRange {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;

  auto operator<=>(const ByteRange&) const = default;
};

using ReadBytes = std::function<void(std::uint64_t address, std::span<std::byte> bytes)>;

// Content hash of the bytes of a file outside `covered`, in file order. Error(damaged) when ranges overlap or leave the
// file. Reads through a bounded buffer.
Hash128 hash_of_rest(std::uint64_t file_bytes, std::vector<ByteRange> covered, const ReadBytes& read);

}  // namespace goldentrace
