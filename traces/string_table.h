// Distinct byte strings by number: labels, names, tapes, blobs. Stored as all bytes in one row and the ends of each.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "traces/chunked_stream.h"

namespace goldentrace {

class StringTable {
 public:
  StringTable(ChunkedStream bytes, ChunkedStream ends) : bytes_(std::move(bytes)), ends_(std::move(ends)) {}

  std::uint64_t add(std::string_view text);  // equal texts get the same number
  void finish();
  const ChunkedStream& bytes() const { return bytes_; }
  const ChunkedStream& ends() const { return ends_; }

 private:
  ChunkedStream bytes_;
  ChunkedStream ends_;
  std::uint64_t end_ = 0;
  std::unordered_map<std::string, std::uint64_t> short_;
  std::map<Hash128, std::uint64_t> long_;  // long texts are known by their content hash
};

}  // namespace goldentrace
