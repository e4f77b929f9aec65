#include "traces/journal_writer.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <utility>

#include "traces/error.h"
#include "traces/journal_commit.h"
#include "traces/journal_reader.h"
#include "traces/recording_state.h"

namespace goldentrace {
namespace {

constexpr std::array<std::byte, format::entry_alignment> zeros{};
// So much is handed to the disk at a time while recording: then little is left for the fsync at the end.
constexpr std::uint64_t writeback_bytes = 8 << 20;

std::span<const std::byte> bytes_of(const auto& row) { return std::as_bytes(std::span(&row, 1)); }

// The first bytes of a journal: its head, and room for what a trace has there.
std::array<std::byte, format::first_entry> beginning(const format::JournalHead& head) {
  std::array<std::byte, format::first_entry> bytes{};
  std::memcpy(bytes.data(), &head, sizeof head);
  return bytes;
}

// Committed steps are never thrown away, nor is a file that is no journal, or none that can be read.
void refuse_leftover(const std::filesystem::path& journal) {
  if (is_finished_journal(journal)) refuse_recording({Recording::ended_early, journal});
  const JournalScan scan = JournalReader(journal).scan();
  if (scan.damage) {
    throw Error(ErrorCode::damaged, "damaged: " + scan.damage->what + "; remove it or record elsewhere",
                {.file = journal.string(), .record = "byte " + std::to_string(scan.damage->address)});
  }
  if (scan.map.rows == 0) return;
  throw Error(ErrorCode::incomplete,
              "holds " + std::to_string(scan.map.steps) +
                  " committed steps of a recording that ended early; recover them with: " + recover_command(journal) +
                  ", or remove it",
              {.file = journal.string()});
}

}  // namespace

std::uint64_t new_number() {
  std::random_device device;
  const auto now = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  return (std::uint64_t{device()} << 32 | device()) ^ now;
}

std::filesystem::path journal_of(const std::filesystem::path& target) {
  return target.string() + std::string(format::journal_suffix);
}

JournalWriter::JournalWriter(const std::filesystem::path& target, const format::JournalHead& head)
    : file_(journal_of(target), target), map_{.head = head} {
  if (file_.size() > 0) refuse_leftover(file_.path());
  map_.head.magic = format::journal_magic;
  map_.head.version = format::journal_version;
  map_.head.head_bytes = format::first_entry;
  map_.head.journal = new_number();
  const Hash128 hash = piece_hash(bytes_of(map_.head).first(format::hashed_journal_head_bytes));
  map_.head.low = hash.low;
  map_.head.high = hash.high;
  size_ = format::first_entry;
  if (file_.truncate(0) && file_.write(0, beginning(map_.head))) return;
  file_.remove();
  file_.check();
}

JournalWriter::~JournalWriter() {
  if (!keep_) file_.remove();
}

format::EntryHead JournalWriter::entry_head(format::EntryKind kind, std::uint64_t bytes, Hash128 hash) const {
  format::EntryHead head{.kind = kind, .bytes = bytes, .journal = map_.head.journal};
  head.sequence = kind == format::EntryKind::seal ? sequence_of_end_ : sequence_;
  head.low = hash.low;
  head.high = hash.high;
  head.check = piece_hash(bytes_of(head).first(format::checked_head_bytes)).low;
  return head;
}

std::uint64_t JournalWriter::append(const JournalEntry& entry) {
  file_.check();
  const format::EntryHead head = entry_head(entry.kind, entry.body.size(), entry.hash);
  const std::uint64_t padding = -(sizeof head + entry.body.size()) % format::entry_alignment;
  const std::array<std::span<const std::byte>, 3> pieces{bytes_of(head), entry.body, std::span(zeros).first(padding)};
  const std::uint64_t address = size_;
  if (!file_.write(address, std::span(pieces).first(padding == 0 ? 2 : 3))) file_.check();
  size_ += sizeof head + entry.body.size() + padding;
  ++sequence_;
  return address;
}

std::optional<ByteRange> JournalWriter::take_writeback() {
  if (size_ - begun_writeback_ < writeback_bytes) return std::nullopt;
  const std::uint64_t first = std::exchange(begun_writeback_, size_);
  return ByteRange{first, size_ - first};
}

std::uint64_t JournalWriter::append_content(const JournalEntry& entry, std::uint64_t frame_bytes) {
  map_.contents.push_back(append(entry));
  uses_.push_back({frame_bytes, std::numeric_limits<std::uint64_t>::max()});
  return map_.contents.size() - 1;
}

void JournalWriter::append_record(const JournalEntry& entry, std::uint64_t row, std::int64_t content) {
  const std::uint64_t address = append(entry);
  if (content >= 0) {
    ContentUse& use = uses_.at(static_cast<std::size_t>(content));
    use.first_row = std::min(use.first_row, row);
  }
  if (row >= map_.records.size()) map_.records.resize(row + 1);
  map_.records[row] = address;
}

void JournalWriter::append_commit(const JournalEntry& entry) {
  map_.commits.push_back(append(entry));
  const format::CommitHead head = commit_head(entry.body);
  map_.rows = head.rows - map_.head.first_row;
  map_.steps = head.steps;
  map_.end = size_;
  sequence_of_end_ = sequence_;
}

std::uint64_t JournalWriter::committed_frame_bytes() const {
  std::uint64_t bytes = 0;
  for (const ContentUse& use : uses_) bytes += use.first_row < map_.rows ? use.frame_bytes : 0;
  return bytes;
}

std::uint64_t JournalWriter::begin_seal() {
  const format::EntryHead head = entry_head(format::EntryKind::seal, format::endless, {});
  file_.retry();
  if (!file_.truncate(map_.end) || !file_.write(map_.end, bytes_of(head))) file_.check();
  return map_.end + sizeof head;
}

void JournalWriter::undo_seal() { file_.roll_back(beginning(map_.head), map_.end); }

}  // namespace goldentrace
