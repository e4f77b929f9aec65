#include "traces/payload_reader.h"

#include <algorithm>

#include "traces/error.h"

namespace goldentrace {

PayloadReader::PayloadReader(const FrameReader& frames, const SealedTables& tables,
                             const std::vector<std::string>& paths)
    : frames_(frames),
      chunks_(tables.load<format::ChunkRow>(format::chunks)),
      shapes_(tables.load<std::int64_t>(format::shapes)) {
  for (const format::DatasetRow& row : tables.load<format::DatasetRow>(format::datasets)) {
    datasets_.push_back(checked(row, paths));
  }
}

void PayloadReader::refuse(const std::string& record, const std::string& what) const {
  throw Error(ErrorCode::damaged, "damaged: " + what + "; record again or copy again",
              {.file = frames_.file().path().string(), .record = record});
}

PayloadReader::Dataset PayloadReader::checked(const format::DatasetRow& row,
                                              const std::vector<std::string>& paths) const {
  if (row.path >= paths.size()) refuse("/datasets", "a dataset has no path");
  Dataset dataset{.row = row, .run = {.name = '/' + paths[row.path], .chunks = {}}, .split = {}};
  if (!is_valid_dtype(row.dtype) || row.codec > 1 || row.kind > 1) {
    throw Error(ErrorCode::version, "a dataset of a kind that this build does not know",
                {.file = frames_.file().path().string(), .record = dataset.run.name});
  }
  if (row.first_chunk > chunks_.size() || row.chunk_count > chunks_.size() - row.first_chunk) {
    refuse(dataset.run.name, "its chunks are not in /chunks");
  }
  dataset.run.chunks = std::span(chunks_).subspan(row.first_chunk, row.chunk_count);
  dataset.run.chunk_bytes = row.chunk_bytes;
  dataset.run.item_bytes = item_size(static_cast<DType>(row.dtype));
  dataset.run.codec = static_cast<format::Codec>(row.codec);
  if (row.kind == static_cast<std::uint8_t>(format::DatasetKind::packed)) {
    check_packed(dataset);
  } else {
    check_tensor(dataset);
  }
  check_run(dataset.run, frames_.file());
  return dataset;
}

void PayloadReader::check_packed(Dataset& dataset) const {
  if (__builtin_mul_overflow(dataset.row.rows, dataset.run.item_bytes, &dataset.run.bytes)) {
    refuse(dataset.run.name, "its size overflows");
  }
}

void PayloadReader::check_tensor(Dataset& dataset) const {
  const format::DatasetRow& row = dataset.row;
  if (row.shape > shapes_.size() || row.dimensions > shapes_.size() - row.shape) {
    refuse(dataset.run.name, "its shape is not in /shapes");
  }
  const auto first = shapes_.begin() + row.shape;
  const ChunkSplit split(Shape(first, first + row.dimensions), dataset.run.item_bytes, row.split_axis, row.split);
  std::uint64_t count = 0;
  // As one run every chunk counts in full, padding included: rows are taken apart by the split.
  if (split.chunk_bytes() != row.chunk_bytes || __builtin_mul_overflow(row.rows, split.chunks(), &count) ||
      count != row.chunk_count || __builtin_mul_overflow(count, row.chunk_bytes, &dataset.run.bytes)) {
    refuse(dataset.run.name, "its chunks do not fit its shape");
  }
  dataset.split = split;
}

void PayloadReader::check_location(const format::IndexRow& row, std::uint64_t bytes) const {
  if (row.dataset == format::no_dataset) return;
  if (row.dataset == format::empty) {
    if (bytes != 0) refuse("/index", "a tensor with elements is said to be empty");
    return;
  }
  if (row.dataset >= datasets_.size()) refuse("/index", "dataset " + std::to_string(row.dataset) + " is not there");
  const Dataset& dataset = datasets_[row.dataset];
  const std::uint64_t elements = bytes / std::max<std::size_t>(1, dataset.run.item_bytes);
  const bool fits = dataset.split ? row.row < dataset.row.rows && dataset.split->row_bytes() == bytes
                                  : row.row <= dataset.row.rows && elements <= dataset.row.rows - row.row;
  if (row.dtype != dataset.row.dtype || !fits) refuse(dataset.run.name, "a record does not fit it");
}

void PayloadReader::read(const format::IndexRow& row, std::uint64_t bytes, std::vector<std::byte>& out) const {
  if (row.dataset == format::empty) return out.clear();
  const Dataset& dataset = datasets_.at(row.dataset);
  if (bytes > format::free_bytes + format::most_ratio * frames_.file().size()) {
    refuse(dataset.run.name, "a tensor is said to be larger than such a file can hold");
  }
  out.resize(bytes);
  if (dataset.split) {
    read_row(dataset, row.row, out);
  } else {
    frames_.read(dataset.run, row.row * dataset.run.item_bytes, out);
  }
}

void PayloadReader::read_row(const Dataset& dataset, std::uint64_t row, std::span<std::byte> out) const {
  const ChunkSplit& split = *dataset.split;
  std::vector<std::byte> padded;
  for (std::uint64_t chunk = 0; chunk < split.chunks(); ++chunk) {
    const ChunkPiece piece = split.piece(chunk);
    const std::span<std::byte> part = out.subspan(piece.first, piece.bytes);
    if (piece.bytes == split.chunk_bytes()) {
      frames_.read_chunk(dataset.run, row * split.chunks() + chunk, part);
      continue;
    }
    padded.resize(split.chunk_bytes());
    frames_.read_chunk(dataset.run, row * split.chunks() + chunk, padded);
    std::copy_n(padded.begin(), part.size(), part.begin());
  }
}

void PayloadReader::check_frames(const std::function<void(std::uint64_t)>& done) const {
  for (const Dataset& dataset : datasets_) {
    for (std::size_t chunk = 0; chunk < dataset.run.chunks.size(); ++chunk) {
      frames_.check_hash(dataset.run, chunk);
      done(dataset.run.chunks[chunk].bytes);
    }
  }
}

}  // namespace goldentrace
