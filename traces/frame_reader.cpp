#include "traces/frame_reader.h"

#include <algorithm>

#include "traces/error.h"
#include "traces/frame_codec.h"
#include "traces/hash.h"

namespace goldentrace {
namespace {

constexpr std::size_t most_kept_bytes = 8 * 1048576;

[[noreturn]] void refuse(const FrameRun& run, const TraceFile& file, const std::string& what) {
  throw Error(ErrorCode::damaged, "damaged: " + what + "; record again or copy again",
              {.file = file.path().string(), .record = run.name});
}

// What an honest encoder can have stored for one chunk.
std::uint64_t most_stored(const FrameRun& run) { return run.chunk_bytes + run.chunk_bytes / 128 + 1024; }

}  // namespace

void check_run(const FrameRun& run, const TraceFile& file) {
  if (run.bytes == 0 && run.chunks.empty()) return;
  const bool fits = run.chunk_bytes > 0 && run.item_bytes > 0 && run.chunk_bytes % run.item_bytes == 0 &&
                    run.chunks.size() == (run.bytes - 1) / run.chunk_bytes + 1 && run.bytes > 0;
  const std::uint64_t largest = run.codec == format::Codec::raw ? file.size() : format::largest_chunk;
  if (!fits || run.chunk_bytes > largest) refuse(run, file, "its chunks do not fit its size");
}

std::span<const std::byte> FrameReader::stored(const FrameRun& run, std::size_t chunk) const {
  thread_local std::vector<std::byte> frame;
  const format::ChunkRow& row = run.chunks[chunk];
  if (row.bytes > most_stored(run) || row.bytes > file_.size()) refuse(run, file_, "a frame is too large");
  frame.resize(row.bytes);
  file_.read(row.address, frame);
  if (piece_hash(frame) != Hash128{row.low, row.high}) {
    refuse(run, file_, "the hash of frame " + std::to_string(chunk) + " is wrong");
  }
  return frame;
}

void FrameReader::check_hash(const FrameRun& run, std::size_t chunk) const { stored(run, chunk); }

void FrameReader::read_chunk(const FrameRun& run, std::size_t chunk, std::span<std::byte> raw) const {
  const std::span<const std::byte> frame = stored(run, chunk);
  try {
    decode_frame(frame, run.item_bytes, run.codec, raw);
  } catch (const Error& error) {
    refuse(run, file_, error.what());
  }
}

void FrameReader::read(const FrameRun& run, std::uint64_t first, std::span<std::byte> out) const {
  if (first > run.bytes || out.size() > run.bytes - first) refuse(run, file_, "something is said to lie outside it");
  while (!out.empty()) {
    const std::uint64_t chunk = first / run.chunk_bytes;
    const std::uint64_t skipped = first % run.chunk_bytes;
    const std::size_t length = std::min<std::uint64_t>(out.size(), run.chunk_bytes - skipped);
    if (length == run.chunk_bytes) {
      read_chunk(run, chunk, out.first(length));
    } else {
      const Block raw = block(run, chunk);
      std::copy_n(raw->begin() + static_cast<std::ptrdiff_t>(skipped), length, out.begin());
    }
    out = out.subspan(length);
    first += length;
  }
}

FrameReader::Block FrameReader::block(const FrameRun& run, std::size_t chunk) const {
  const std::uint64_t address = run.chunks[chunk].address;
  if (Block found = kept(address); found && found->size() == run.chunk_bytes) return found;
  const auto fresh = std::make_shared<std::vector<std::byte>>(run.chunk_bytes);
  read_chunk(run, chunk, *fresh);
  keep(address, fresh);
  return fresh;
}

FrameReader::Block FrameReader::kept(std::uint64_t address) const {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(newest_first_.begin(), newest_first_.end(),
                                  [&](const Kept& each) { return each.address == address; });
  if (found == newest_first_.end()) return nullptr;
  newest_first_.splice(newest_first_.begin(), newest_first_, found);
  return found->block;
}

void FrameReader::keep(std::uint64_t address, const Block& block) const {
  const std::lock_guard lock(mutex_);
  newest_first_.push_front({address, block});
  kept_bytes_ += block->size();
  while (kept_bytes_ > most_kept_bytes && newest_first_.size() > 1) {
    kept_bytes_ -= newest_first_.back().block->size();
    newest_first_.pop_back();
  }
}

}  // namespace goldentrace
