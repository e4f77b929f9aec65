#include "traces/chunked_stream.h"

#include <algorithm>
#include <array>

namespace goldentrace {

format::ChunkRow chunk_row(std::uint64_t address, std::span<const std::byte> frame) {
  const Hash128 hash = piece_hash(frame);
  return {.address = address, .bytes = frame.size(), .low = hash.low, .high = hash.high};
}

ChunkedStream::ChunkedStream(Place place, Hdf5Handle type, std::size_t row_bytes, format::Codec codec)
    : place_(std::move(place)),
      type_(std::move(type)),
      row_bytes_(row_bytes),
      codec_(codec),
      chunk_rows_(std::max<std::size_t>(1, format::stream_chunk / row_bytes)) {}

void ChunkedStream::append(std::span<const std::byte> rows) {
  rows_ += rows.size() / row_bytes_;
  hasher_.append(rows);
  while (!rows.empty()) {
    const std::size_t length = std::min<std::size_t>(rows.size(), chunk_bytes() - buffer_.size());
    buffer_.insert(buffer_.end(), rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(length));
    rows = rows.subspan(length);
    if (buffer_.size() == chunk_bytes()) write_chunk();
  }
}

void ChunkedStream::create() {
  const ChunkedLayout layout{.path = '/' + place_.path,
                             .row = {},
                             .chunk = {chunk_rows_},
                             .item_bytes = row_bytes_,
                             .codec = codec_,
                             .level = place_.level};
  dataset_ = place_.file->create(layout, type_);
}

void ChunkedStream::write_chunk() {
  if (!dataset_) create();
  const std::span<const std::byte> frame = place_.encoder->encode(buffer_, row_bytes_, codec_);
  const std::array<std::uint64_t, 1> offset{chunks_.size() * chunk_rows_};
  dataset_->grow(std::min(rows_, offset[0] + chunk_rows_));
  chunks_.push_back(chunk_row(dataset_->write_chunk(offset, frame), frame));
  stored_bytes_ += frame.size();
  buffer_.clear();
}

// Few rows are stored as they are: HDF5's tree of chunks would be larger than what compression saves.
void ChunkedStream::write_contiguous() {
  const Hdf5Guard guard;
  codec_ = format::Codec::raw;
  const std::array<std::uint64_t, 1> sizes{rows_};
  const std::uint64_t address = place_.file->write('/' + place_.path, type_, sizes, buffer_);
  if (rows_ == 0) return;
  chunks_.push_back(chunk_row(address, buffer_));
  stored_bytes_ += buffer_.size();
}

void ChunkedStream::finish() {
  hash_ = hasher_.finish();
  if (!dataset_) {
    chunk_rows_ = std::max<std::uint64_t>(1, rows_);
    if (buffer_.size() <= format::uncompressed_limit) return write_contiguous();
    create();
  }
  if (!buffer_.empty()) {
    buffer_.resize(chunk_bytes());
    write_chunk();
  }
  dataset_.reset();
}

format::TableRow ChunkedStream::table() const {
  format::TableRow row{.rows = rows_, .chunk_rows = chunk_rows_, .chunk_count = chunks_.size()};
  std::copy_n(place_.path.begin(), std::min(place_.path.size(), row.name.size()), row.name.begin());
  row.row_bytes = static_cast<std::uint32_t>(row_bytes_);
  row.codec = static_cast<std::uint32_t>(codec_);
  row.low = hash_.low;
  row.high = hash_.high;
  return row;
}

}  // namespace goldentrace
