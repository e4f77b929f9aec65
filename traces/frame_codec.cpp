#include "traces/frame_codec.h"

#define ZSTD_STATIC_LINKING_ONLY  // how literals are coded
#include <zstd.h>

#include <algorithm>
#include <string>

#include "traces/error.h"
#include "traces/shuffle.h"

namespace goldentrace {

namespace {

constexpr std::size_t small_chunk = 4 * format::tensor_chunk;

// So far apart are the places where a repetition is looked for that none is: what remains is the entropy coding.
constexpr int no_search_level = -131072;

void check_zstd(std::size_t result) {
  if (ZSTD_isError(result) == 0) return;
  throw Error(ErrorCode::internal, std::string("Zstandard cannot compress: ") + ZSTD_getErrorName(result));
}

}  // namespace

CodecSettings settings_of(Codec codec) {
  switch (codec) {
    case Codec::small:
      return {format::Codec::shuffled_zstd, 6, small_chunk};
    case Codec::none:
      return {format::Codec::raw, 0, format::tensor_chunk};
    default:
      return {format::Codec::shuffled_zstd, 1, format::tensor_chunk};
  }
}

struct FrameEncoder::State {
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context{ZSTD_createCCtx(), &ZSTD_freeCCtx};
  std::vector<std::byte> shuffled;
  std::vector<std::byte> frame;
};

FrameEncoder::FrameEncoder(Codec codec) : state_(new State) {
  ZSTD_CCtx* const context = state_->context.get();
  const int level = codec == Codec::fast ? no_search_level : settings_of(codec).level;
  check_zstd(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level));
  if (codec == Codec::fast) {
    check_zstd(ZSTD_CCtx_setParameter(context, ZSTD_c_literalCompressionMode, ZSTD_ps_enable));
  }
}

FrameEncoder::~FrameEncoder() = default;

std::span<const std::byte> FrameEncoder::encode(std::span<const std::byte> raw, std::size_t item_bytes,
                                                format::Codec codec) {
  if (codec == format::Codec::raw) return raw;
  std::span<const std::byte> input = raw;
  if (item_bytes > 1) {
    if (state_->shuffled.size() < raw.size()) state_->shuffled.resize(raw.size());
    const std::span<std::byte> shuffled = std::span(state_->shuffled).first(raw.size());
    shuffle(raw, item_bytes, shuffled);
    input = shuffled;
  }
  const std::size_t most = ZSTD_compressBound(raw.size());
  if (state_->frame.size() < most) state_->frame.resize(most);
  const std::size_t size =
      ZSTD_compress2(state_->context.get(), state_->frame.data(), state_->frame.size(), input.data(), input.size());
  check_zstd(size);
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
