// A one-axis dataset that is written row by row in compressed chunks: every table of a trace and every packed dataset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "traces/content_hasher.h"
#include "traces/format.h"
#include "traces/frame_codec.h"
#include "traces/hdf5_file.h"

namespace goldentrace {

// Holds at most one chunk of raw bytes. The dataset is made with its first full chunk, or by finish() with a chunk of
// exactly the rows there are.
class ChunkedStream {
 public:
  struct Place {
    Hdf5File* file;
    FrameEncoder* encoder;
    std::string path;  // without the leading '/'
    int level = 1;
  };
  ChunkedStream(Place place, Hdf5Handle type, std::size_t row_bytes, format::Codec codec);

  void append(std::span<const std::byte> rows);  // whole rows
  std::uint64_t rows() const { return rows_; }

  // Writes what is left; nothing may be appended afterwards.
  void finish();
  const std::vector<format::ChunkRow>& chunks() const { return chunks_; }
  format::TableRow table() const;  // all but first_chunk; after finish()
  std::uint64_t stored_bytes() const { return stored_bytes_; }
  format::Codec codec() const { return codec_; }  // final after finish()
  std::uint64_t chunk_bytes() const { return chunk_rows_ * row_bytes_; }

 private:
  void create();
  void write_contiguous();
  void write_chunk();

  Place place_;
  Hdf5Handle type_;
  std::size_t row_bytes_;
  format::Codec codec_;
  std::uint64_t chunk_rows_;
  std::uint64_t rows_ = 0;
  std::uint64_t stored_bytes_ = 0;
  std::vector<std::byte> buffer_;
  std::optional<Hdf5Dataset> dataset_;
  std::vector<format::ChunkRow> chunks_;
  ContentHasher hasher_;
  Hash128 hash_;
};

// The table row and chunks of one frame.
format::ChunkRow chunk_row(std::uint64_t address, std::span<const std::byte> frame);

}  // namespace goldentrace
