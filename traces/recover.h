// What to do with a journal whose recorder ended early.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

namespace goldentrace {

using JournalProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

struct RecoverOptions {
  enum class Replace { older_only, always };          // of a trace that is there already
  enum class Damage { refuse, keep_what_is_before };  // in what was committed

  std::filesystem::path output;  // empty: the name that the recording was for
  Replace replace = Replace::older_only;
  Damage damage = Damage::refuse;
};

struct RecoverResult {
  std::filesystem::path journal;
  std::filesystem::path trace;  // empty: nothing was committed and nothing was to be written
  std::uint64_t steps = 0;
  std::uint64_t records = 0;
  std::uint64_t dropped_bytes = 0;  // of a step that was not completed, or behind the damage
  bool was_sealed = false;          // the trace held everything already
};

// Seals what the journal has committed and then removes it. A trace of the run's name that was left by a recorder that
// died after sealing is recognised; so is a trace under the journal's name, which is verified and renamed. Error:
// still_being_written (its recorder lives), damaged (what was committed, with byte and step; nothing is written),
// incomplete (nothing was committed), usage (the output is newer than the journal), input_output, and those of
// JournalReader. The journal stays after an error, and after damage.
RecoverResult recover_journal(const std::filesystem::path& journal, const RecoverOptions& options = {},
                              const JournalProgress& progress = {});

// The journals that a recording of this name left: that of NAME, or those of its segments, and of its ranks. NAME may be
// a journal itself.
std::vector<std::filesystem::path> journals_of(const std::filesystem::path& name);

bool is_journal(const std::filesystem::path& file);  // by its first bytes; or a trace under the name of its journal

struct JournalSummary {
  std::uint64_t steps = 0;
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
  std::uint64_t torn_bytes = 0;  // behind the last commit
};

// Checks every entry and that everything that was committed can be read. Error as above, also for damage behind the
// last commit.
JournalSummary verify_journal(const std::filesystem::path& journal, const JournalProgress& progress = {});

}  // namespace goldentrace
