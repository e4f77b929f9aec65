#include "traces/journal_content.h"

#include "traces/byte_stream.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

void require(bool condition, const char* what, ErrorCode code = ErrorCode::damaged) {
  if (!condition) throw Error(code, what);
}

void check(const JournalContent& content) {
  require(static_cast<std::uint64_t>(byte_count(content.shape, content.dtype)) == content.bytes && content.bytes > 0,
          "a payload has another size than its shape");
  if (content.kind == format::ContentKind::packed) {
    return require(content.packed.size() == content.bytes, "a packed payload has the wrong size");
  }
  require(content.shape.size() <= format::largest_rank, "a tensor of too many axes");
  const ChunkSplit split = content.chunks();
  require(content.frames.size() == split.chunks() && split.chunk_bytes() <= format::largest_chunk,
          "the frames of a payload do not fit its shape");
}

}  // namespace

ChunkSplit JournalContent::chunks() const { return {shape, item_size(dtype), split_axis, split}; }

std::uint64_t JournalContent::frame_bytes() const {
  std::uint64_t bytes = 0;
  for (const format::ChunkRow& frame : frames) bytes += frame.bytes;
  return bytes;
}

format::ContentKind content_kind(const Shape& shape, std::size_t bytes) {
  const bool packed = bytes < format::packed_limit || shape.empty() || shape.size() > format::largest_rank;
  return packed ? format::ContentKind::packed : format::ContentKind::tensor;
}

void encode_content(const JournalContent& content, std::vector<std::byte>& out) {
  out.clear();
  ByteWriter writer(out);
  format::ContentHead head{.low = content.hash.low, .high = content.hash.high, .bytes = content.bytes};
  head.split = content.split;
  head.split_axis = content.split_axis;
  head.dimensions = static_cast<std::uint32_t>(content.shape.size());
  head.frame_count = static_cast<std::uint32_t>(content.frames.size());
  head.dtype = static_cast<std::uint8_t>(content.dtype);
  head.kind = static_cast<std::uint8_t>(content.kind);
  writer.row(head);
  writer.numbers(std::span(content.shape));
  writer.numbers(std::span(content.frames));
  writer.bytes(content.packed);
}

JournalContent decode_content(std::span<const std::byte> body) {
  ByteReader reader(body);
  const auto head = reader.row<format::ContentHead>();
  require(is_valid_dtype(head.dtype), "unknown dtype", ErrorCode::version);
  require(head.kind <= static_cast<std::uint8_t>(format::ContentKind::tensor), "unknown kind of payload",
          ErrorCode::version);
  require(head.dimensions <= format::most_dimensions, "a shape of too many dimensions");
  JournalContent content{.hash = {head.low, head.high}, .dtype = static_cast<DType>(head.dtype)};
  content.bytes = head.bytes;
  content.kind = static_cast<format::ContentKind>(head.kind);
  content.shape = reader.numbers<std::int64_t>(head.dimensions);
  content.split_axis = head.split_axis;
  content.split = head.split;
  content.frames = reader.numbers<format::ChunkRow>(head.frame_count);
  if (content.kind == format::ContentKind::packed) content.packed = reader.bytes(head.bytes);
  require(reader.at_end(), "a content entry is longer than what it holds");
  check(content);
  return content;
}

}  // namespace goldentrace
