// Where the entries of a journal lie: what sealing needs to know.
#pragma once

#include <cstdint>
#include <vector>

#include "traces/journal_format.h"

namespace goldentrace {

// Addresses are those of entries, from the start of the journal. 8 bytes per record and per distinct content.
struct JournalMap {
  format::JournalHead head;
  std::vector<std::uint64_t> records;   // by row of this segment; 0: not there (yet)
  std::vector<std::uint64_t> contents;  // by number
  std::vector<std::uint64_t> commits;
  std::uint64_t rows = 0;                   // of this segment that are committed
  std::uint64_t steps = 0;                  // commits of the whole run up to the last one here
  std::uint64_t end = format::first_entry;  // of the last commit
};

}  // namespace goldentrace
