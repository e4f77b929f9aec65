// The capture level of each step: as asked for at the start, by the program while it runs, or by a file.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "recorder/capture.h"

namespace goldentrace {

// The training thread begins steps; any thread may ask.
class Level {
 public:
  // `file`: where a word may stand, looked at when a step begins; empty: none.
  // `forbidden`: what the file may not ask for.
  Level(Capture first, std::filesystem::path file, std::optional<Capture> forbidden = std::nullopt)
      : now_(first), asked_(first), file_(std::move(file)), forbidden_(forbidden) {}

  void ask(Capture capture) { asked_ = capture; }
  // The level of the step that begins.
  Capture begin_step(std::int64_t step);

  std::string changes() const;                                  // "12:sketch,40:full": the first steps of new levels
  const std::string& refused_word() const { return refused_; }  // stood in the file and changed nothing

 private:
  using Stamp = std::pair<std::filesystem::file_time_type, std::uintmax_t>;
  void look_at_file();

  Capture now_;
  std::atomic<Capture> asked_;
  const std::filesystem::path file_;
  const std::optional<Capture> forbidden_;
  std::optional<Stamp> seen_;
  std::string refused_;
  std::vector<std::pair<std::int64_t, Capture>> changes_;
};

}  // namespace goldentrace
