// Strings of a sealed trace by number: the reading side of string_table.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "traces/sealed_tables.h"

namespace goldentrace {

// Reads a string when it is asked for. Any thread.
class StringList {
 public:
  StringList(const FrameReader& frames, const SealedTables& tables, std::string_view bytes, std::string_view ends);

  std::uint64_t size() const { return ends_.size(); }
  std::string at(std::uint64_t number) const;  // Error(damaged) for a number that is not there
  std::vector<std::string> all() const;

 private:
  const FrameReader& frames_;
  const FrameRun& bytes_;
  std::vector<std::uint64_t> ends_;
};

}  // namespace goldentrace
