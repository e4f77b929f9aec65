// The pass over a whole journal: what is committed, what is torn, what is damaged.
#include <algorithm>
#include <cstring>

#include "traces/error.h"
#include "traces/hash.h"
#include "traces/journal_reader.h"

namespace goldentrace {

namespace {

// Rows come in any order: of those before a row so many may be on their way still. Bounds the memory for hostile ones.
constexpr std::uint64_t most_rows_ahead = 1 << 20;

}  // namespace

class JournalScanner {
 public:
  using Progress = std::function<void(std::uint64_t, std::uint64_t)>;

  explicit JournalScanner(JournalReader& reader) : reader_(reader) {
    scan_.map.head = reader.head();
    scan_.map.steps = 0;
    scan_.bytes = reader.size_;
  }

  JournalScan run(const Progress& progress) {
    at_ = reader_.head().head_bytes;
    if (at_ != format::first_entry) {
      reader_.refuse(0, "damaged: the journal's head has an impossible size");
    }
    scan_.map.end = at_;
    try {
      while (at_ < reader_.size_) {
        take(reader_.entry(at_));
        if (progress) progress(at_, reader_.size_);
      }
    } catch (const Error& error) {
      if (error.code() == ErrorCode::input_output) throw;
      if (error.code() == ErrorCode::version) reader_.refuse(at_, error.what(), ErrorCode::version);
      if (!is_torn()) note_damage(error);
    }
    if (!scan_.damage && reader_.size_ >= format::first_entry) check_room();
    scan_.torn_bytes = reader_.size_ - std::min(reader_.size_, scan_.map.end);
    return std::move(scan_);
  }

 private:
  // Between head and entries lie zeros; or a superblock, when sealing was interrupted.
  void check_room() {
    constexpr std::uint64_t first = sizeof(format::JournalHead);
    std::span<const std::byte> room = reader_.read(first, format::first_entry - first);
    const std::span<const std::byte> before = room.first(sizeof(format::FirstBlock) - first);
    if (std::memcmp(before.data() + before.size(), format::hdf5_signature.data(), format::hdf5_signature.size()) == 0) {
      room = before;
    }
    if (is_zero(room)) return;
    scan_.damage = JournalDamage{.address = first, .what = "bytes in front of the entries", .commits_follow = true};
    scan_.damage->step = 1;
  }

  void require(bool condition, const char* what) const {
    if (!condition) throw Error(ErrorCode::damaged, what);
  }

  void take(const JournalReader::Entry& entry) {
    require(entry.head.sequence == sequence_, "damaged: entries are missing");
    switch (entry.head.kind) {
      case format::EntryKind::frame:
        break;
      case format::EntryKind::content:
        take_content(decode_content(entry.body));
        break;
      case format::EntryKind::record:
        take_record(decode_record(entry.body));
        break;
      case format::EntryKind::commit:
        take_commit(decode_commit(entry.body), entry.end);
        break;
      default:
        throw Error(ErrorCode::version, "an entry of a kind that this build does not know");
    }
    ++sequence_;
    at_ = entry.end;
  }

  void take_content(const JournalContent& content) {
    for (const format::ChunkRow& frame : content.frames) {
      require(frame.address < at_ && frame.bytes <= at_ - frame.address, "damaged: a frame lies outside the journal");
    }
    scan_.map.contents.push_back(at_);
  }

  void take_record(const JournalRecord& record) {
    JournalMap& map = scan_.map;
    const auto row = static_cast<std::uint64_t>(record.row) - map.head.first_row;
    require(row < most_rows_ahead + reader_.size_ / sizeof(format::RecordHead),
            "damaged: a record has an impossible row");
    require(record.content < static_cast<std::int64_t>(map.contents.size()) && record.content >= format::content_empty,
            "damaged: the payload of a record is missing");
    if (row >= map.records.size()) map.records.resize(row + 1);
    require(map.records[row] == 0, "damaged: a record is there twice");
    map.records[row] = at_;
    while (frontier_ < map.records.size() && map.records[frontier_] != 0) ++frontier_;
  }

  void take_commit(const JournalCommit& commit, std::uint64_t end) {
    JournalMap& map = scan_.map;
    const auto rows = static_cast<std::uint64_t>(commit.rows) - map.head.first_row;
    require(rows <= frontier_ && rows >= map.rows, "damaged: a commit names records that are not there");
    map.rows = rows;
    map.steps = commit.steps;
    map.commits.push_back(at_);
    map.end = end;
  }

  // A process that died left an entry that is cut off, and nothing behind it; a machine without power may have left
  // zeros.
  bool is_torn() {
    const std::uint64_t left = reader_.size_ - at_;
    if (is_zero_from(at_)) return true;
    format::EntryHead found;
    const std::size_t length = std::min<std::uint64_t>(left, sizeof found);
    std::memcpy(&found, reader_.read(at_, length).data(), length);
    if (length < sizeof found) {
      return std::memcmp(&found, &format::entry_magic, std::min(length, sizeof format::entry_magic)) == 0;
    }
    const bool is_next = found.magic == format::entry_magic && found.check == check_of(found) &&
                         found.journal == reader_.head().journal && found.sequence == sequence_;
    scan_.is_sealing = is_next && found.kind == format::EntryKind::seal;
    return is_next && is_longer_than(found, left);
  }

  static std::uint64_t check_of(const format::EntryHead& head) {
    return piece_hash(std::as_bytes(std::span(&head, 1)).first(format::checked_head_bytes)).low;
  }

  static bool is_longer_than(const format::EntryHead& head, std::uint64_t left) {
    if (head.bytes > left - sizeof head) return true;
    const std::uint64_t bytes = sizeof head + head.bytes;
    return left < bytes + -bytes % format::entry_alignment;
  }

  static bool is_zero(std::span<const std::byte> bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [](std::byte each) { return each == std::byte{0}; });
  }

  bool is_zero_from(std::uint64_t address) {
    while (address < reader_.size_) {
      const std::uint64_t length = std::min<std::uint64_t>(65536, reader_.size_ - address);
      const std::span<const std::byte> bytes = reader_.read(address, length);
      if (!is_zero(bytes)) return false;
      address += length;
    }
    return true;
  }

  void note_damage(const Error& error) {
    const std::string what = error.what();
    const std::size_t word = what.find("damaged: ");
    scan_.damage = JournalDamage{.address = at_, .what = word == std::string::npos ? what : what.substr(word + 9)};
    scan_.damage->step = scan_.map.steps + 1;
    scan_.damage->commits_follow = finds_commit_from(at_ + format::entry_alignment);
  }

  // Looks at every place where an entry could begin.
  bool finds_commit_from(std::uint64_t address) {
    while (address + sizeof(format::EntryHead) <= reader_.size_) {
      const std::uint64_t length = std::min<std::uint64_t>(65536, reader_.size_ - address);
      const std::span<const std::byte> window = reader_.read(address, length);
      std::uint64_t at = 0;
      while (at + sizeof(format::EntryHead) <= length && !looks_like_commit(window.subspan(at))) {
        at += format::entry_alignment;
      }
      address += at;
      if (at + sizeof(format::EntryHead) > length) continue;
      if (is_commit(address)) return true;
      address += format::entry_alignment;
    }
    return false;
  }

  bool looks_like_commit(std::span<const std::byte> bytes) const {
    if (std::memcmp(bytes.data(), &format::entry_magic, sizeof format::entry_magic) != 0) return false;
    format::EntryHead head;
    std::memcpy(&head, bytes.data(), sizeof head);
    return head.kind == format::EntryKind::commit && head.journal == reader_.head().journal &&
           head.check == check_of(head);
  }

  bool is_commit(std::uint64_t address) {
    try {
      decode_commit(reader_.entry(address).body);
      return true;
    } catch (const Error&) {
      return false;
    }
  }

  JournalReader& reader_;
  JournalScan scan_;
  std::uint64_t at_ = 0;
  std::uint64_t sequence_ = 0;
  std::uint64_t frontier_ = 0;  // every row of this segment before it is there
};

JournalScan JournalReader::scan(const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  return JournalScanner(*this).run(progress);
}

std::uint64_t committed_steps(const std::filesystem::path& journal) {
  try {
    const JournalScan scan = JournalReader(journal).scan();
    return scan.map.rows == 0 ? 0 : scan.map.steps;
  } catch (const Error&) {
    return 0;
  }
}

}  // namespace goldentrace
