#include "traces/journal_reader.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "traces/error.h"
#include "traces/file_kind.h"
#include "traces/hash.h"

namespace goldentrace {
namespace {

// Records and small payloads are read through a window of this size, larger bodies on their own.
constexpr std::uint64_t window_bytes = 65536;

std::span<const std::byte> bytes_of(const auto& row) { return std::as_bytes(std::span(&row, 1)); }

}  // namespace

JournalReader::JournalReader(const std::filesystem::path& path) : path_(path) {
  open_file();
  try {
    check_head();
  } catch (...) {
    close(file_);
    throw;
  }
}

JournalReader::~JournalReader() { close(file_); }

void JournalReader::open_file() {
  file_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status {};
  if (file_ < 0 || fstat(file_, &status) != 0) {
    const int error = errno;
    if (file_ >= 0) close(file_);
    const bool absent = error == ENOENT || error == ENOTDIR;
    throw Error(absent ? ErrorCode::not_found : ErrorCode::input_output,
                absent ? "no such file" : std::string("cannot open the file: ") + std::strerror(error),
                {.file = path_.string()});
  }
  std::error_code ignored;
  const std::filesystem::file_type type = std::filesystem::status(path_, ignored).type();
  if (!S_ISREG(status.st_mode)) {
    close(file_);
    throw Error(ErrorCode::not_a_trace, "is " + kind_of_file(type) + ", not a journal; remove it or name another file",
                {.file = path_.string()});
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

void JournalReader::check_head() {
  const std::span<std::byte> bytes = std::as_writable_bytes(std::span(&head_, 1));
  if (size_ >= sizeof head_) read_exactly(0, bytes);
  if (head_.magic != format::journal_magic) {
    throw Error(ErrorCode::not_a_trace,
                "not a journal (" + std::to_string(size_) + " bytes); remove it or give it another name",
                {.file = path_.string()});
  }
  const Hash128 hash = piece_hash(bytes.first(format::hashed_journal_head_bytes));
  if (hash != Hash128{head_.low, head_.high})
    refuse(0, "damaged: the hash of the journal's head is wrong; nothing can be recovered from it, remove it");
  if (head_.version != format::journal_version) {
    refuse(0,
           "journal version " + std::to_string(head_.version) + "; this build reads version " +
               std::to_string(format::journal_version) + "; recover it with the build that recorded it, or remove it",
           ErrorCode::version);
  }
}

bool JournalReader::lock() { return flock(file_, LOCK_EX | LOCK_NB) == 0 || errno == ENOLCK || errno == ENOTSUP; }

void JournalReader::refuse(std::uint64_t address, const std::string& what, ErrorCode code) const {
  throw Error(code, what, {.file = path_.string(), .record = "byte " + std::to_string(address)});
}

void JournalReader::read_exactly(std::uint64_t address, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t done = pread(file_, bytes.data(), bytes.size(), static_cast<off_t>(address));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) refuse(address, std::string("cannot read: ") + std::strerror(errno), ErrorCode::input_output);
    if (done == 0) refuse(address, "the file became shorter while it was read");
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    address += static_cast<std::uint64_t>(done);
  }
}

std::span<const std::byte> JournalReader::read(std::uint64_t address, std::uint64_t bytes) {
  if (address > size_ || bytes > size_ - address) refuse(address, "an entry is said to lie outside the file");
  const bool is_held = address >= buffer_first_ && address + bytes <= buffer_first_ + buffer_bytes_;
  if (!is_held) {
    const std::uint64_t wanted = std::min(std::max(bytes, window_bytes), size_ - address);
    if (buffer_.size() < wanted) buffer_.resize(wanted);
    buffer_bytes_ = 0;
    read_exactly(address, std::span(buffer_).first(wanted));
    buffer_first_ = address;
    buffer_bytes_ = wanted;
  }
  return std::span(buffer_).subspan(address - buffer_first_, bytes);
}

JournalReader::Entry JournalReader::entry(std::uint64_t address) {
  Entry entry;
  std::memcpy(&entry.head, read(address, sizeof entry.head).data(), sizeof entry.head);
  const format::EntryHead& head = entry.head;
  const bool known = head.magic == format::entry_magic && head.journal == head_.journal &&
                     head.check == piece_hash(bytes_of(head).first(format::checked_head_bytes)).low;
  if (!known) refuse(address, "damaged: no entry begins here");
  const std::uint64_t body = address + sizeof head;
  if (head.bytes > size_ - body) refuse(address, "damaged: an entry is cut off");
  const std::uint64_t padding = -(sizeof head + head.bytes) % format::entry_alignment;
  if (padding > size_ - body - head.bytes) refuse(address, "damaged: an entry is cut off");
  const std::span<const std::byte> both = read(body, head.bytes + padding);
  entry.body = both.first(head.bytes);
  entry.end = body + both.size();
  const std::span<const std::byte> behind = both.subspan(head.bytes);
  const bool is_clean = std::all_of(behind.begin(), behind.end(), [](std::byte each) { return each == std::byte{0}; });
  if (piece_hash(entry.body) != Hash128{head.low, head.high} || !is_clean) {
    refuse(address, "damaged: the hash of an entry is wrong");
  }
  return entry;
}

JournalReader::Entry JournalReader::entry(std::uint64_t address, format::EntryKind kind) {
  const Entry found = entry(address);
  if (found.head.kind != kind) refuse(address, "damaged: an entry is of another kind");
  return found;
}

JournalRecord JournalReader::record(std::uint64_t address) {
  return decode_record(entry(address, format::EntryKind::record).body);
}

JournalContent JournalReader::content(std::uint64_t address) {
  return decode_content(entry(address, format::EntryKind::content).body);
}

JournalCommit JournalReader::commit(std::uint64_t address) {
  return decode_commit(entry(address, format::EntryKind::commit).body);
}

std::span<const std::byte> JournalReader::frame(const format::ChunkRow& frame) {
  const std::span<const std::byte> bytes = read(frame.address, frame.bytes);
  if (piece_hash(bytes) != Hash128{frame.low, frame.high}) {
    refuse(frame.address, "damaged: the hash of a frame is wrong");
  }
  return bytes;
}

std::string recover_command(const std::filesystem::path& journal) { return "gtrace recover " + journal.string(); }

}  // namespace goldentrace
