// Makes a trace of what a journal has committed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "traces/journal_reader.h"

namespace goldentrace {

// Writes `target`'s .partial, syncs it and renames it over `target`, a checked_target(). Frames are copied unchanged;
// memory is bounded but for about 100 bytes for each distinct payload, sketch and call. The journal stays.
// Error(input_output) when the disk refuses: `target` is what it was. Error(damaged) when the journal is not what `map`
// says. `progress(done, total)` in records.
void seal(JournalReader& journal, const JournalMap& map, const std::filesystem::path& target,
          const std::function<void(std::uint64_t, std::uint64_t)>& progress = {});

}  // namespace goldentrace
