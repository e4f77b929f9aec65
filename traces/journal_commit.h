// What a commit adds besides its rows, as an entry of a journal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "traces/journal_format.h"
#include "traces/layer_call.h"

namespace goldentrace {

// A later word about a call: its tape, or its self-check.
struct CallChange {
  enum class Kind : std::uint8_t { tape, replayable };

  std::int64_t row = 0;  // of this segment's calls
  Kind kind = Kind::tape;
  std::int64_t tape = -1;
  Replayable replayable = Replayable::unchecked;
  std::string note;
};

struct JournalCommit {
  std::int64_t rows = 0;    // of the whole run
  std::uint64_t steps = 0;  // commits of the whole run, this one included
  std::vector<std::string> tapes, blobs;
  std::vector<LayerCall> calls;
  std::vector<CallChange> changes;
  std::string header;  // the text of /header
};

void encode_commit(const JournalCommit& commit, std::vector<std::byte>& out);  // replaces `out`
JournalCommit decode_commit(std::span<const std::byte> body);                  // Error(damaged), Error(version)
// Its numbers of rows and steps alone.
format::CommitHead commit_head(std::span<const std::byte> body);

}  // namespace goldentrace
