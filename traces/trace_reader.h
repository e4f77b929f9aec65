// Reads one sealed trace, all segments of one, or the traces of all ranks of a run. Every file is treated as hostile: sizes, offsets and counts are
// checked before use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traces/header.h"
#include "traces/layer_call.h"
#include "traces/record.h"
#include "traces/tape.h"

namespace goldentrace {

// Opening checks the first block, /seal and every table but sketches, tapes and blobs; those and payload are checked
// frame by frame when they are read. libhdf5 takes no part: its structures matter to other tools and to verify() only.
// After construction all const members may be called from several threads.
class TraceReader {
 public:
  // run.h5 stands for run.0000.h5, run.0001.h5 … when there is no file of that name, and else for run.rank0.h5,
  // run.rank1.h5 …, each of which may be in segments; rows count through, rank after rank, and header() is
  // joined_header() of rank_files.h. A segment opened alone has its own rows, and no producers before them; a rank
  // opened alone says in its header which one it is. Error: usage (two runs of one name), not_found (also a segment in
  // the middle, or a rank, by its name), not_a_trace, damaged, version, incomplete (an unlocked journal or .partial and
  // no NAME), still_being_written (a locked one and no NAME).
  explicit TraceReader(const std::filesystem::path& path);
  ~TraceReader();
  TraceReader(TraceReader&&) noexcept;
  TraceReader& operator=(TraceReader&&) noexcept;

  const std::filesystem::path& path() const;
  // A recorder is writing a newer trace over this name; this is the old one.
  bool being_rewritten() const;
  std::uint64_t file_bytes() const;  // of all its files
  const Header& header() const;

  // In seq order: the row is the record's number. Sketches are left empty here; see sketch().
  const std::vector<Record>& records() const;
  std::optional<std::int64_t> find(const RecordId& id) const;
  bool has_payload(std::int64_t row) const;
  Sketch sketch(std::int64_t row) const;  // empty when none was recorded
  // Contiguous row-major bytes. Error(damaged) when a frame's hash or the content hash is wrong, Error(not_found)
  // when the record has no payload.
  std::vector<std::byte> payload(std::int64_t row) const;
  // The same into memory that is used again, for readers of many payloads: with the hashes of its frames, which cover
  // every byte that is read, but without the content hash, which only says that the writer hashed what it wrote.
  void read_payload(std::int64_t row, std::vector<std::byte>& bytes) const;

  const std::vector<LayerCall>& calls() const;
  std::int64_t tape_count() const;
  std::string tape_text(std::int64_t tape) const;
  Tape tape(std::int64_t tape) const;
  std::vector<std::byte> blob(std::int64_t blob) const;

  // Checks every hash in the file; Error(damaged) at the first wrong one. `progress(done, total)` in bytes.
  void verify(const std::function<void(std::uint64_t, std::uint64_t)>& progress = {}) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace goldentrace
