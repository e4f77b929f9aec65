// Every constant and row of the journal, shared by its writer and its reader. docs/FORMAT.md explains them.
// All numbers are little-endian; entries begin at multiples of 8 bytes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "traces/format.h"

namespace goldentrace::format {

inline constexpr std::array<std::uint8_t, 8> journal_magic{0x89, 'G', 'T', 'J', 'R', 'N', 'L', '\n'};
inline constexpr std::uint32_t journal_version = 2;
inline constexpr std::string_view journal_suffix = ".journal";
inline constexpr std::uint32_t entry_magic = 0x4a45'5447;  // "GTEJ"
inline constexpr std::uint64_t entry_alignment = 8;

// seal: its body is everything behind it, the parts of an HDF5 file that is not finished. It is longer than any file,
// so that it reads as an entry that is cut off.
enum class EntryKind : std::uint32_t { frame = 1, content = 2, record = 3, commit = 4, seal = 5 };
inline constexpr std::uint64_t endless = std::uint64_t{1} << 62;

// Entries begin here. Behind the head is room for what a journal that becomes a trace itself gets in front: the first
// block over the head, HDF5's superblock behind that. Zeros until then.
inline constexpr std::uint32_t first_entry = 1024;
inline constexpr std::uint64_t superblock_room = first_entry - sizeof(FirstBlock);

// The first 128 bytes.
struct JournalHead {
  std::array<std::uint8_t, 8> magic{};
  std::uint32_t version = 0;
  std::uint32_t head_bytes = 0;
  std::uint64_t journal = 0;    // a number of its own, repeated in every entry
  std::uint64_t first_row = 0;  // of the run, in this segment
  std::uint32_t codec = 0;      // of the writer's options
  std::uint32_t segment = 0;
  std::uint32_t is_segment = 0;  // 1: one of several
  std::uint32_t reserved_word = 0;
  std::uint64_t run = 0;  // a number that all journals of one run have; 0: of a build that wrote none
  std::array<std::uint8_t, 56> reserved{};
  std::uint64_t low = 0, high = 0;  // XXH3-128 of the bytes before
};
inline constexpr std::size_t hashed_journal_head_bytes = 112;

struct EntryHead {
  std::uint32_t magic = entry_magic;
  EntryKind kind = EntryKind::frame;
  std::uint64_t bytes = 0;  // of the body, which follows; zeros up to a multiple of 8 behind it
  std::uint64_t journal = 0;
  std::uint64_t sequence = 0;       // counts from 0
  std::uint64_t low = 0, high = 0;  // XXH3-128 of the body
  std::uint64_t check = 0;          // low half of XXH3-128 of the bytes before
};
inline constexpr std::size_t checked_head_bytes = 48;

enum class ContentKind : std::uint8_t { packed = 0, tensor = 1 };

// A content entry: this, the sizes of the shape (i64), then the bytes themselves (packed) or a ChunkRow for each frame,
// whose address is that of a frame entry's body.
struct ContentHead {
  std::uint64_t low = 0, high = 0;  // content hash
  std::uint64_t bytes = 0;
  std::uint64_t split = 0;
  std::uint32_t split_axis = 0;
  std::uint32_t dimensions = 0;
  std::uint32_t frame_count = 0;
  std::uint8_t dtype = 0;
  std::uint8_t kind = 0;
  std::array<std::uint8_t, 2> reserved{};
};

inline constexpr std::int64_t content_none = -1;   // no payload
inline constexpr std::int64_t content_empty = -2;  // a payload without bytes

// A record entry: this, layer, index (texts), shape, producers (i64 each), the sketch's elements.
struct RecordHead {
  std::int64_t row = 0;  // of the whole run
  std::int64_t content = content_none;
  std::int64_t step = 0, micro = 0;
  std::int32_t rank = 0, call = 0, position = 0;
  std::uint8_t pass = 0, role = 0, dtype = 0, flags = 0;
  std::uint32_t layer_bytes = 0, index_bytes = 0;
  std::uint32_t dimensions = 0, producer_count = 0;
  std::uint32_t sketch_count = 0, sketch_table = 0;
  std::uint64_t low = 0, high = 0;
  double min = 0, max = 0, mean = 0, l2 = 0;
  std::uint64_t nan_count = 0, inf_count = 0, zero_count = 0;
};

// A commit entry: this, then each text or byte string of tapes and blobs (length u64, bytes), each call and each change
// (CallEntry, layer, note), and the header's text.
struct CommitHead {
  std::uint64_t rows = 0;  // of the whole run that are committed
  std::uint64_t tapes = 0, blobs = 0, calls = 0, changes = 0;
  std::uint64_t header_bytes = 0;
  std::uint64_t steps = 0;  // commits of the whole run so far, this one included
};

struct CallEntry {
  std::int64_t row = 0;  // of this segment's calls
  std::int64_t step = 0, micro = 0, parent = -1, tape = -1, random = -1;
  std::int32_t rank = 0, call = 0;
  std::uint32_t layer_bytes = 0, note_bytes = 0;
  std::uint8_t pass = 0, replayable = 0;
  std::array<std::uint8_t, 6> reserved{};
};

static_assert(sizeof(JournalHead) == 128 && sizeof(EntryHead) == 56 && sizeof(ContentHead) == 48);
static_assert(sizeof(RecordHead) == 144 && sizeof(CommitHead) == 56 && sizeof(CallEntry) == 72);
static_assert(std::has_unique_object_representations_v<JournalHead> &&
              std::has_unique_object_representations_v<EntryHead> &&
              std::has_unique_object_representations_v<ContentHead> &&
              std::has_unique_object_representations_v<CommitHead> &&
              std::has_unique_object_representations_v<CallEntry>);

}  // namespace goldentrace::format
