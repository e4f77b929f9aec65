// Frames of a sealed trace: read by address, hash checked, decoded; the newest ones are kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "traces/format.h"
#include "traces/trace_file.h"

namespace goldentrace {

// A run of chunks that hold consecutive bytes.
struct FrameRun {
  std::string name;  // for messages: "/index"
  std::span<const format::ChunkRow> chunks;
  std::uint64_t chunk_bytes = 0;  // raw; the last chunk is padded to it
  std::uint64_t bytes = 0;        // raw, without the padding
  std::size_t item_bytes = 1;
  format::Codec codec = format::Codec::shuffled_zstd;
};

// All members may be called from several threads.
class FrameReader {
 public:
  explicit FrameReader(const TraceFile& file) : file_(file) {}

  // Fills `raw`, the whole chunk. Error(damaged) when the frame's hash is wrong or it does not decode.
  void read_chunk(const FrameRun& run, std::size_t chunk, std::span<std::byte> raw) const;
  // Any bytes of a run whose chunk count fits its size.
  void read(const FrameRun& run, std::uint64_t first, std::span<std::byte> out) const;
  void check_hash(const FrameRun& run, std::size_t chunk) const;  // without decoding

  const TraceFile& file() const { return file_; }

 private:
  using Block = std::shared_ptr<const std::vector<std::byte>>;
  struct Kept {
    std::uint64_t address;
    Block block;
  };

  Block block(const FrameRun& run, std::size_t chunk) const;
  Block kept(std::uint64_t address) const;
  void keep(std::uint64_t address, const Block& block) const;
  std::span<const std::byte> stored(const FrameRun& run, std::size_t chunk) const;

  const TraceFile& file_;
  mutable std::mutex mutex_;
  mutable std::list<Kept> newest_first_;
  mutable std::size_t kept_bytes_ = 0;
};

// Error(damaged) unless the numbers of the run fit together and its frames lie in the file.
void check_run(const FrameRun& run, const TraceFile& file);

}  // namespace goldentrace
