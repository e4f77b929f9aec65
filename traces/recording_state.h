// Whether a trace of some name is being recorded, or was when its recorder died.
#pragma once

#include <filesystem>

namespace goldentrace {

enum class Recording { none, running, ended_early };

struct RecordingState {
  Recording recording = Recording::none;
  std::filesystem::path leftover;  // the journal or .partial that says so
};

// Looks at the file's journal, then at its .partial. A file system without locks says ended_early.
RecordingState recording_state(const std::filesystem::path& trace);
// Of a journal or .partial itself.
Recording recording_of(const std::filesystem::path& leftover);

// A trace under the name of its journal: its recorder died after it had sealed it and before it renamed it.
bool is_finished_journal(const std::filesystem::path& file);

// Error(still_being_written), or Error(incomplete) with the command that recovers it.
[[noreturn]] void refuse_recording(const RecordingState& state);

}  // namespace goldentrace
