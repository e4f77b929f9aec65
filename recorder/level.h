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
#include "recorder/level_file.h"

namespace goldentrace {

// The training thread begins steps; any thread may ask.
class Level {
 public:
  // `file`: where a word may stand, looked at when a step begins; empty: none.
  // `forbidden`: what the file may not ask for.
  Level(Capture first, const std::filesystem::path& file, std::optional<Capture> forbidden = std::nullopt);

  void ask(Capture capture) { asked_ = capture; }
  // The level of the step that begins.
  Capture begin_step(std::int64_t step);

  std::string changes() const;  // "12:sketch,40:full": the first steps of new levels
  // What stood in the file and changed nothing, and how often, or why it could not be read; empty: neither happened.
  std::string refusals() const;

 private:
  void look_at_file();

  Capture now_;
  std::atomic<Capture> asked_;
  std::optional<LevelFile> file_;
  const std::optional<Capture> forbidden_;
  std::int64_t refused_ = 0;  // times
  std::string refused_word_;  // the last
  std::vector<std::pair<std::int64_t, Capture>> changes_;
};

}  // namespace goldentrace
