#include "traces/recover.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <string>

#include "traces/error.h"
#include "traces/file_status.h"
#include "traces/finished_journal.h"
#include "traces/journal_reader.h"
#include "traces/journal_writer.h"
#include "traces/rank_files.h"
#include "traces/recording_state.h"
#include "traces/run_files.h"
#include "traces/sealer.h"
#include "traces/segment.h"
#include "traces/trace_reader.h"

namespace goldentrace {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view suffix = format::journal_suffix;

void lock(JournalReader& reader) {
  if (!reader.lock()) refuse_recording({Recording::running, reader.path()});
}

[[noreturn]] void refuse_damage(const fs::path& journal, const JournalDamage& damage, const std::string& advice) {
  throw Error(ErrorCode::damaged, "damaged in step " + std::to_string(damage.step) + ": " + damage.what + advice,
              {.file = journal.string(), .record = "byte " + std::to_string(damage.address)});
}

// A whole trace under a journal's name: when it is damaged nothing is left to be recovered.
[[noreturn]] void refuse_finished(const Error& error, const fs::path& journal) {
  const ErrorPlace place{.file = journal.string(), .record = error.place().record};
  const std::string message = error.what();
  const std::string prefix = Error(error.code(), "", place).what();
  const std::string what = message.starts_with(prefix) ? message.substr(prefix.size()) : message;
  throw Error(error.code(), error.code() == ErrorCode::damaged ? what + ", or remove it" : what, place);
}

fs::path wanted_target(const fs::path& journal, const RecoverOptions& options) {
  if (!options.output.empty()) return checked_target(options.output);
  const std::string name = journal.string();
  if (name.ends_with(suffix) && name.size() > suffix.size()) {
    return checked_target(name.substr(0, name.size() - suffix.size()));
  }
  throw Error(ErrorCode::usage, "its name does not end in .journal; say with -o where the trace shall go",
              {.file = name});
}

// The journal is removed when the trace is written, which passes through a file of its own.
fs::path target_of(const fs::path& journal, const RecoverOptions& options) {
  const fs::path target = wanted_target(journal, options);
  for (std::string_view ending : {std::string_view(), format::partial_suffix}) {
    std::error_code ignored;
    if (!fs::equivalent(target.string() + std::string(ending), journal, ignored)) continue;
    throw Error(ErrorCode::usage, "is the journal that is read; choose another name with -o",
                {.file = target.string() + std::string(ending)});
  }
  return target;
}

// All of the journal's records and no more.
bool holds_all(const fs::path& trace, JournalReader& journal, const JournalMap& map) {
  try {
    const TraceReader reader(trace);
    if (reader.records().size() != map.rows) return false;
    for (std::uint64_t row = 0; row < map.rows; ++row) {
      const Record& record = reader.records()[row];
      const Record wanted = journal.record(map.records[row]).record;
      if (record.id != wanted.id || record.fingerprint.hash != wanted.fingerprint.hash) return false;
    }
    return true;
  } catch (const Error&) {
    return false;
  }
}

void check_older(const fs::path& target, const fs::path& journal) {
  if (changed_at(target) <= changed_at(journal)) return;
  throw Error(ErrorCode::usage,
              "is newer than " + journal.string() + "; recover elsewhere with -o, or replace it with --force",
              {.file = target.string()});
}

// A journal of a later segment that no step was written to is nothing to keep.
bool is_empty_segment(const JournalScan& scan) {
  return !scan.damage && scan.map.rows == 0 && scan.map.head.is_segment == 1 && scan.map.head.segment > 0;
}

void check_scan(const fs::path& journal, const JournalScan& scan, const RecoverOptions& options) {
  if (scan.damage && options.damage == RecoverOptions::Damage::refuse) {
    refuse_damage(
        journal, *scan.damage,
        "; nothing was written; --keep-before-damage keeps the " + std::to_string(scan.map.steps) + " steps before it");
  }
  if (scan.map.rows > 0 || is_empty_segment(scan)) return;
  throw Error(ErrorCode::incomplete, "no step was committed; record again", {.file = journal.string()});
}

// A name that was asked for is no name that the recording would have replaced.
void check_replaced(const fs::path& target, const fs::path& journal, const RecoverOptions& options) {
  if (!is_there(target) || options.replace == RecoverOptions::Replace::always) return;
  if (options.output.empty()) return check_older(target, journal);
  throw Error(ErrorCode::usage, "is there already; name another file with -o, or replace it with --force",
              {.file = target.string()});
}

std::optional<SegmentName> segment_of(const format::JournalHead& head) {
  if (head.is_segment == 0) return std::nullopt;
  return SegmentName{.number = head.segment, .run = head.run};
}

void verify(const FinishedJournal& finished, const fs::path& journal, const JournalProgress& progress) {
  try {
    finished.verify(progress);
  } catch (const Error& error) {
    refuse_finished(error, journal);
  }
}

FinishedJournal open_finished(const fs::path& journal) {
  try {
    return FinishedJournal(journal);
  } catch (const Error& error) {
    refuse_finished(error, journal);
  }
}

RecoverResult rename_finished(const fs::path& journal, const RecoverOptions& options, const JournalProgress& progress) {
  const FinishedJournal finished = open_finished(journal);
  verify(finished, journal, progress);
  RecoverResult result{.journal = journal, .trace = target_of(journal, options)};
  refuse_other_run(result.trace, segment_name(finished.header()));
  result.steps = finished.steps();
  result.records = finished.records();
  result.was_sealed = true;
  check_replaced(result.trace, journal, options);
  finished.move_to(result.trace);
  return result;
}

void seal_advising(JournalReader& journal, const JournalMap& map, const fs::path& target,
                   const JournalProgress& progress) {
  try {
    seal(journal, map, target, progress);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::input_output) throw;
    throw Error(error.code(), std::string(error.what()) + "; the journal stays; recover elsewhere with -o");
  }
}

// Scanning is the first half of the work, sealing the second.
JournalProgress half(const JournalProgress& progress, std::uint64_t number) {
  if (!progress) return {};
  return [&progress, number](std::uint64_t done, std::uint64_t total) { progress(number * total + done, 2 * total); };
}

}  // namespace

RecoverResult recover_journal(const fs::path& journal, const RecoverOptions& options, const JournalProgress& progress) {
  if (is_finished_journal(journal)) return rename_finished(journal, options, progress);
  JournalReader reader(journal);
  lock(reader);
  RecoverResult result{.journal = journal, .trace = target_of(journal, options)};
  const JournalScan scan = reader.scan(half(progress, 0));
  check_scan(journal, scan, options);
  result.steps = scan.map.steps;
  result.records = scan.map.rows;
  result.dropped_bytes = scan.torn_bytes;
  if (is_empty_segment(scan)) {
    result.trace.clear();
  } else if (is_there(result.trace) && holds_all(result.trace, reader, scan.map)) {
    result.was_sealed = true;
  } else {
    refuse_other_run(result.trace, segment_of(scan.map.head));
    check_replaced(result.trace, journal, options);
    seal_advising(reader, scan.map, result.trace, half(progress, 1));
  }
  std::error_code ignored;
  if (!scan.damage) fs::remove(journal, ignored);
  return result;
}

std::vector<fs::path> journals_of(const fs::path& name) {
  if (name.string().ends_with(suffix)) return {name};
  if (is_there(journal_of(name))) return {journal_of(name)};
  std::vector<fs::path> journals;
  for (std::uint32_t number : segments_of(name, suffix)) journals.push_back(journal_of(segment_path(name, number)));
  for (std::int64_t rank : ranks_of(name)) {
    const std::vector<fs::path> own = journals_of(rank_path(name, rank));
    journals.insert(journals.end(), own.begin(), own.end());
  }
  return journals;
}

bool is_journal(const fs::path& file) {
  if (is_finished_journal(file)) return true;
  std::array<char, format::journal_magic.size()> magic{};
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return false;
  std::ifstream(file, std::ios::binary).read(magic.data(), magic.size());
  return std::equal(magic.begin(), magic.end(), format::journal_magic.begin(),
                    [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; });
}

JournalSummary verify_journal(const fs::path& journal, const JournalProgress& progress) {
  if (is_finished_journal(journal)) {
    const FinishedJournal finished = open_finished(journal);
    verify(finished, journal, progress);
    return {.steps = finished.steps(), .records = finished.records(), .bytes = finished.bytes()};
  }
  JournalReader reader(journal);
  lock(reader);
  const JournalScan scan = reader.scan(progress);
  if (scan.damage) {
    refuse_damage(journal, *scan.damage,
                  "; recover the steps before it with: " + recover_command(journal) + " --keep-before-damage");
  }
  return {.steps = scan.map.steps, .records = scan.map.rows, .bytes = scan.bytes, .torn_bytes = scan.torn_bytes};
}

}  // namespace goldentrace
