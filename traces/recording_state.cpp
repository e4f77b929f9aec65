#include "traces/recording_state.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <string>

#include "traces/error.h"
#include "traces/file_kind.h"
#include "traces/journal_format.h"
#include "traces/journal_reader.h"

namespace goldentrace {
namespace {

using FirstBytes = std::array<std::uint8_t, format::magic.size()>;

FirstBytes first_bytes(const std::filesystem::path& path) {
  FirstBytes bytes{};
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return bytes;
  if (pread(file, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) bytes = {};
  close(file);
  return bytes;
}

// An empty one is a journal that nothing was written to.
void refuse_other_file(const std::string& leftover) {
  std::error_code ignored;
  const std::uintmax_t bytes = std::filesystem::file_size(leftover, ignored);
  if (ignored || bytes == 0 || first_bytes(leftover) == format::journal_magic) return;
  throw Error(ErrorCode::not_a_trace,
              "not a journal (" + std::to_string(bytes) + " bytes); remove it or give it another name",
              {.file = leftover});
}

}  // namespace

// Asks with a shared lock that is given back at once.
Recording recording_of(const std::filesystem::path& leftover) {
  const int file = open(leftover.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return Recording::none;
  const bool locked = flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(file);
  return locked ? Recording::running : Recording::ended_early;
}

RecordingState recording_state(const std::filesystem::path& trace) {
  for (std::string_view suffix : {format::journal_suffix, format::partial_suffix}) {
    const std::filesystem::path leftover = trace.string() + std::string(suffix);
    const Recording recording = recording_of(leftover);
    if (recording != Recording::none) return {recording, leftover};
  }
  return {};
}

bool is_finished_journal(const std::filesystem::path& file) {
  return file.string().ends_with(format::journal_suffix) && first_bytes(file) == format::magic;
}

void refuse_recording(const RecordingState& state) {
  const std::string leftover = state.leftover.string();
  std::error_code ignored;
  const std::filesystem::file_type type = std::filesystem::status(leftover, ignored).type();
  if (type != std::filesystem::file_type::regular && type != std::filesystem::file_type::not_found) {
    throw Error(ErrorCode::not_a_trace,
                "is " + kind_of_file(type) + " where a journal would be; remove it or name another file",
                {.file = leftover});
  }
  if (state.recording == Recording::running) {
    throw Error(ErrorCode::still_being_written, "still being written (lock held); wait until its recorder ends",
                {.file = leftover});
  }
  if (is_finished_journal(leftover)) {
    throw Error(ErrorCode::incomplete,
                "its recorder ended before it gave the trace its name; do that with: " + recover_command(leftover) +
                    ", or remove it",
                {.file = leftover});
  }
  if (leftover.ends_with(format::journal_suffix)) {
    refuse_other_file(leftover);
    throw Error(ErrorCode::incomplete,
                "incomplete: its recorder ended early; recover what it committed with: " + recover_command(leftover) +
                    ", or remove it",
                {.file = leftover});
  }
  throw Error(ErrorCode::incomplete, "incomplete: record again (its recorder died), or remove it", {.file = leftover});
}

}  // namespace goldentrace
