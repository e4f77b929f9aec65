// A trace under the name of its journal: its recorder died after it had sealed it and before it renamed it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "traces/record.h"
#include "traces/trace_segment.h"

namespace goldentrace {

class FinishedJournal {
 public:
  // `journal`: is_finished_journal(). Error(still_being_written) while its recorder lives; those of TraceReader.
  explicit FinishedJournal(const std::filesystem::path& journal);

  const Header& header() const { return segment_.header(); }
  std::uint64_t steps() const;  // distinct numbers of steps
  std::uint64_t records() const { return records_.size(); }
  std::uint64_t bytes() const { return segment_.file().size(); }

  // Every hash. Error(damaged). `progress(done, total)` in bytes.
  void verify(const std::function<void(std::uint64_t, std::uint64_t)>& progress) const;
  // Renames it; to another file system: by copying. Error(input_output).
  void move_to(const std::filesystem::path& target) const;

 private:
  void copy_to(const std::filesystem::path& target) const;

  TraceSegment segment_;
  std::vector<Record> records_;
};

}  // namespace goldentrace
