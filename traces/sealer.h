// Makes a trace of what a journal has committed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "traces/journal_reader.h"
#include "traces/journal_writer.h"

namespace goldentrace {

// Writes `target`'s .partial, syncs it and renames it over `target`, a checked_target(). Frames are copied unchanged;
// memory is bounded but for about 100 bytes for each distinct payload, sketch and call. The journal stays.
// Error(input_output) when the disk refuses: `target` is what it was. Error(damaged) when the journal is not what `map`
// says. `progress(done, total)` in records.
void seal(JournalReader& journal, const JournalMap& map, const std::filesystem::path& target,
          const std::function<void(std::uint64_t, std::uint64_t)>& progress = {});

// Whether the journal is so much of it stored frames that it may become the trace itself: whatever else it holds stays
// in the file as bytes that belong to nothing. One rule for every recording.
bool can_seal_in_place(const JournalWriter& writer);

// Makes the journal a trace and renames it to `target`: no frame is written again. Behind the last commit come HDF5's
// structures and the tables; after an fsync the first block makes the file a trace, at once, and no journal any more.
// Error(input_output) when the disk refuses before that: it is a journal as before, without what was not committed.
// Later: it is a trace under the journal's name, which recover_journal() renames.
void seal_in_place(JournalWriter& writer, const std::filesystem::path& target);

}  // namespace goldentrace
