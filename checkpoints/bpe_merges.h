// Merges of byte-pair encoding, on token ids.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace goldentrace {

class BpeMerges {
 public:
  struct Merge {
    std::uint32_t rank = 0;  // low ranks first
    std::int32_t token = 0;  // that the two become
  };

  // False when the pair has a merge already.
  bool add(std::int32_t left, std::int32_t right, Merge merge);
  std::size_t size() const { return merges_.size(); }

  // Merges neighbours, the lowest rank first and the leftmost of equals, until none is left. Time n log n.
  void apply(std::vector<std::int32_t>& tokens) const;

 private:
  std::optional<Merge> find(std::int32_t left, std::int32_t right) const;

  std::unordered_map<std::uint64_t, Merge> merges_;
};

}  // namespace goldentrace
