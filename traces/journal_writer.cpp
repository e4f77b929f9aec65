#include "traces/journal_writer.h"

#include <array>
#include <chrono>
#include <random>
#include <string>

#include "traces/error.h"
#include "traces/journal_commit.h"
#include "traces/journal_reader.h"

namespace goldentrace {
namespace {

constexpr std::array<std::byte, format::entry_alignment> zeros{};

std::uint64_t new_number() {
  std::random_device device;
  const auto now = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  return (std::uint64_t{device()} << 32 | device()) ^ now;
}

std::span<const std::byte> bytes_of(const auto& row) { return std::as_bytes(std::span(&row, 1)); }

void refuse_committed(const std::filesystem::path& journal) {
  const std::uint64_t steps = committed_steps(journal);
  if (steps == 0) return;
  throw Error(ErrorCode::incomplete,
              "holds " + std::to_string(steps) +
                  " committed steps of a recording that ended early; recover them with: " + recover_command(journal) +
                  ", or remove it",
              {.file = journal.string()});
}

}  // namespace

std::filesystem::path journal_of(const std::filesystem::path& target) {
  return target.string() + std::string(format::journal_suffix);
}

JournalWriter::JournalWriter(const std::filesystem::path& target, const format::JournalHead& head)
    : file_(journal_of(target), target), map_{.head = head} {
  if (file_.size() > 0) refuse_committed(file_.path());
  map_.head.magic = format::journal_magic;
  map_.head.version = format::journal_version;
  map_.head.head_bytes = sizeof map_.head;
  map_.head.journal = new_number();
  const Hash128 hash = piece_hash(bytes_of(map_.head).first(format::hashed_journal_head_bytes));
  map_.head.low = hash.low;
  map_.head.high = hash.high;
  size_ = sizeof map_.head;
  if (file_.truncate(0) && file_.write(0, bytes_of(map_.head))) return;
  file_.remove();
  file_.check();
}

JournalWriter::~JournalWriter() {
  if (!keep_) file_.remove();
}

std::uint64_t JournalWriter::append(const JournalEntry& entry) {
  file_.check();
  format::EntryHead head{.kind = entry.kind, .bytes = entry.body.size(), .journal = map_.head.journal};
  head.sequence = sequence_;
  head.low = entry.hash.low;
  head.high = entry.hash.high;
  head.check = piece_hash(bytes_of(head).first(format::checked_head_bytes)).low;
  const std::uint64_t padding = -(sizeof head + entry.body.size()) % format::entry_alignment;
  const std::array<std::span<const std::byte>, 3> pieces{bytes_of(head), entry.body, std::span(zeros).first(padding)};
  const std::uint64_t address = size_;
  if (!file_.write(address, std::span(pieces).first(padding == 0 ? 2 : 3))) file_.check();
  size_ += sizeof head + entry.body.size() + padding;
  ++sequence_;
  return address;
}

std::uint64_t JournalWriter::append_content(const JournalEntry& entry) {
  map_.contents.push_back(append(entry));
  return map_.contents.size() - 1;
}

void JournalWriter::append_record(const JournalEntry& entry, std::uint64_t row) {
  const std::uint64_t address = append(entry);
  if (row >= map_.records.size()) map_.records.resize(row + 1);
  map_.records[row] = address;
}

void JournalWriter::append_commit(const JournalEntry& entry) {
  map_.commits.push_back(append(entry));
  const format::CommitHead head = commit_head(entry.body);
  map_.rows = head.rows - map_.head.first_row;
  map_.steps = head.steps;
  map_.end = size_;
}

}  // namespace goldentrace
