// One distinct payload as an entry of a journal: small ones as they are, others as a list of frames.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "traces/chunk_split.h"
#include "traces/journal_format.h"
#include "traces/record.h"

namespace goldentrace {

struct JournalContent {
  Hash128 hash;
  DType dtype = DType::float32;
  std::uint64_t bytes = 0;
  format::ContentKind kind = format::ContentKind::packed;
  Shape shape;                   // of the record that brought it
  std::uint32_t split_axis = 0;  // tensor: how it was cut into frames
  std::uint64_t split = 0;
  std::vector<format::ChunkRow> frames;  // tensor: addresses in the journal, row-major
  std::span<const std::byte> packed;     // packed: lives as long as the entry's body

  ChunkSplit chunks() const;  // tensor
  std::uint64_t frame_bytes() const;
};

// Small tensors, those without axes and those of more axes than HDF5 has are packed.
format::ContentKind content_kind(const Shape& shape, std::size_t bytes);

void encode_content(const JournalContent& content, std::vector<std::byte>& out);  // replaces `out`
JournalContent decode_content(std::span<const std::byte> body);                   // Error(damaged), Error(version)

}  // namespace goldentrace
