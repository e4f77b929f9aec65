// Payloads of a sealed trace, by the trace's own dataset and chunk tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "traces/chunk_split.h"
#include "traces/frame_reader.h"
#include "traces/record.h"
#include "traces/sealed_tables.h"

namespace goldentrace {

class PayloadReader {
 public:
  // Checks every row of /datasets and that it fits /chunks. `paths`: the string table.
  PayloadReader(const FrameReader& frames, const SealedTables& tables, const std::vector<std::string>& paths);

  // Error(damaged) unless the location holds exactly this tensor.
  void check_location(const format::IndexRow& row, std::uint64_t bytes) const;
  // The location has been checked. `out` gets its size; a larger one keeps its memory. Error(damaged) when a frame is
  // damaged.
  void read(const format::IndexRow& row, std::uint64_t bytes, std::vector<std::byte>& out) const;

  void check_frames(const std::function<void(std::uint64_t)>& done) const;  // `done(stored bytes)`
  std::span<const format::ChunkRow> chunks() const { return chunks_; }

 private:
  struct Dataset {
    format::DatasetRow row;
    FrameRun run;                     // packed: one run; tensor: all chunks
    std::optional<ChunkSplit> split;  // tensor
  };

  Dataset checked(const format::DatasetRow& row, const std::vector<std::string>& paths) const;
  void check_packed(Dataset& dataset) const;
  void check_tensor(Dataset& dataset) const;
  void read_row(const Dataset& dataset, std::uint64_t row, std::span<std::byte> out) const;
  [[noreturn]] void refuse(const std::string& record, const std::string& what) const;

  const FrameReader& frames_;
  std::vector<format::ChunkRow> chunks_;
  std::vector<std::int64_t> shapes_;
  std::vector<Dataset> datasets_;
};

}  // namespace goldentrace
