#include "traces/frame_codec.h"

#include <zstd.h>

#include <algorithm>
#include <string>

#include "traces/error.h"
#include "traces/shuffle.h"

namespace goldentrace {

struct FrameEncoder::State {
  int level;
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context{ZSTD_createCCtx(), &ZSTD_freeCCtx};
  std::vector<std::byte> shuffled;
  std::vector<std::byte> frame;
};

FrameEncoder::FrameEncoder(int level) : state_(new State{.level = level}) {}
FrameEncoder::~FrameEncoder() = default;

std::span<const std::byte> FrameEncoder::encode(std::span<const std::byte> raw, std::size_t item_bytes,
                                                format::Codec codec) {
  if (codec == format::Codec::raw) return raw;
  std::span<const std::byte> input = raw;
  if (item_bytes > 1) {
    state_->shuffled.resize(raw.size());
    shuffle(raw, item_bytes, state_->shuffled);
    input = state_->shuffled;
  }
  state_->frame.resize(ZSTD_compressBound(raw.size()));
  const std::size_t size = ZSTD_compressCCtx(state_->context.get(), state_->frame.data(), state_->frame.size(),
                                             input.data(), input.size(), state_->level);
  if (ZSTD_isError(size) != 0) {
    throw Error(ErrorCode::internal, std::string("Zstandard cannot compress: ") + ZSTD_getErrorName(size));
  }
  return std::span(state_->frame).first(size);
}

namespace {

void decompress(std::span<const std::byte> frame, std::span<std::byte> raw) {
  thread_local const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context{ZSTD_createDCtx(), &ZSTD_freeDCtx};
  if (ZSTD_getFrameContentSize(frame.data(), frame.size()) != raw.size()) {
    throw Error(ErrorCode::damaged,
                "a compressed frame does not hold the " + std::to_string(raw.size()) + " bytes that its table says");
  }
  const std::size_t size = ZSTD_decompressDCtx(context.get(), raw.data(), raw.size(), frame.data(), frame.size());
  if (ZSTD_isError(size) != 0 || size != raw.size()) {
    throw Error(ErrorCode::damaged, std::string("a compressed frame is damaged: ") +
                                        (ZSTD_isError(size) != 0 ? ZSTD_getErrorName(size) : "too short"));
  }
}

}  // namespace

void decode_frame(std::span<const std::byte> frame, std::size_t item_bytes, format::Codec codec,
                  std::span<std::byte> raw) {
  if (codec == format::Codec::raw) {
    if (frame.size() != raw.size()) throw Error(ErrorCode::damaged, "a stored frame has the wrong size");
    std::copy(frame.begin(), frame.end(), raw.begin());
    return;
  }
  if (item_bytes <= 1) return decompress(frame, raw);
  thread_local std::vector<std::byte> shuffled;
  shuffled.resize(raw.size());
  decompress(frame, shuffled);
  unshuffle(shuffled, item_bytes, raw);
}

}  // namespace goldentrace
