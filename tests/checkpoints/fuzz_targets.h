// What the fuzzers feed: one function for each reader of untrusted bytes. A target returns for bytes that are right and
// for bytes that are refused by an Error; anything else ends the process.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace goldentrace {

struct FuzzTarget {
  std::string name;  // and the folder of its corpus
  void (*run)(std::span<const std::byte> bytes);
};

const std::vector<FuzzTarget>& fuzz_targets();

}  // namespace goldentrace
