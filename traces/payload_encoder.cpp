#include "traces/payload_encoder.h"

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "traces/chunked_stream.h"
#include "traces/frame_codec.h"

namespace goldentrace {
namespace {

struct ThreadBuffers {
  std::array<std::unique_ptr<FrameEncoder>, 4> encoders;
  std::vector<std::byte> padded;

  FrameEncoder& encoder(Codec codec) {
    std::unique_ptr<FrameEncoder>& encoder = encoders.at(static_cast<std::size_t>(codec));
    if (!encoder) encoder = std::make_unique<FrameEncoder>(codec);
    return *encoder;
  }

  // The chunk with zeros behind it.
  std::span<const std::byte> pad(std::span<const std::byte> raw, std::size_t bytes) {
    padded.assign(raw.begin(), raw.end());
    padded.resize(bytes);
    return padded;
  }
};

// Returns the address of the frame itself.
std::uint64_t append_frame(const JournalEntry& entry, JournalWriter& journal, std::mutex& lock) {
  std::unique_lock guard(lock);
  const std::uint64_t address = journal.append(entry) + sizeof(format::EntryHead);
  const std::optional<ByteRange> due = journal.take_writeback();
  guard.unlock();
  if (due) journal.file().start_writeback(due->address, due->bytes);
  return address;
}

}  // namespace

JournalContent append_frames(const Record& record, std::span<const std::byte> payload, Codec codec,
                             JournalWriter& journal, std::mutex& lock) {
  JournalContent content{.hash = record.fingerprint.hash, .dtype = record.dtype, .bytes = payload.size()};
  content.kind = content_kind(record.shape, payload.size());
  content.shape = record.shape;
  if (content.kind == format::ContentKind::packed) {
    content.packed = payload;
    return content;
  }
  thread_local ThreadBuffers buffers;
  const CodecSettings settings = settings_of(codec);
  const std::size_t item = item_size(record.dtype);
  const ChunkSplit split = ChunkSplit::choose(record.shape, item, settings.chunk_bytes);
  content.split_axis = split.axis();
  content.split = split.size();
  for (std::uint64_t chunk = 0; chunk < split.chunks(); ++chunk) {
    const ChunkPiece piece = split.piece(chunk);
    std::span<const std::byte> raw = payload.subspan(piece.first, piece.bytes);
    if (raw.size() < split.chunk_bytes()) raw = buffers.pad(raw, split.chunk_bytes());
    const std::span<const std::byte> frame = buffers.encoder(codec).encode(raw, item, settings.stored);
    const JournalEntry entry(format::EntryKind::frame, frame);
    const std::uint64_t address = append_frame(entry, journal, lock);
    content.frames.push_back({address, frame.size(), entry.hash.low, entry.hash.high});
  }
  return content;
}

}  // namespace goldentrace
