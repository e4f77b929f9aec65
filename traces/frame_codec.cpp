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

namespace {

using Context = std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)>;

// Of each byte plane of a chunk so much is looked at.
constexpr std::size_t sample_bytes = 16384;
// Smaller chunks are searched without looking.
constexpr std::size_t sampled_chunk = 16 * sample_bytes;

Context search_context(Codec codec) {
  Context context{ZSTD_createCCtx(), &ZSTD_freeCCtx};
  check_zstd(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, settings_of(codec).level));
  return context;
}

// The same frames without search for repetitions: the bytes are entropy-coded.
Context plain_context() {
  Context context{ZSTD_createCCtx(), &ZSTD_freeCCtx};
  check_zstd(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, no_search_level));
  check_zstd(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_literalCompressionMode, ZSTD_ps_enable));
  return context;
}

}  // namespace

struct FrameEncoder::State {
  explicit State(Codec wanted) : codec(wanted) {}

  std::size_t compress(const Context& context, std::span<const std::byte> in, std::vector<std::byte>& out) const {
    const std::size_t most = ZSTD_compressBound(in.size());
    if (out.size() < most) out.resize(most);
    const std::size_t size = ZSTD_compress2(context.get(), out.data(), out.size(), in.data(), in.size());
    check_zstd(size);
    return size;
  }

  // Tensors are often noise: then a search finds nothing and takes most of the time. Looks at two pieces of each byte
  // plane, or of each quarter of bytes without planes; plain coding may lose 1/256 of what a search would save.
  bool is_search_worthwhile(std::span<const std::byte> in, std::size_t item_bytes) {
    if (codec == Codec::fast) return false;
    if (codec != Codec::standard || in.size() < sampled_chunk) return true;
    const std::size_t planes = std::clamp<std::size_t>(item_bytes, 2, 8);
    std::size_t searched = 0;
    std::size_t unsearched = 0;
    for (std::size_t i = 0; i < planes; ++i) {
      take_sample(in.subspan(i * (in.size() / planes), in.size() / planes));
      searched += compress(search, sample, frame);
      unsearched += compress(plain, sample, frame);
    }
    return searched + searched / 256 < unsearched;
  }

  void take_sample(std::span<const std::byte> plane) {
    sample.clear();
    for (std::size_t part : {1, 3}) {
      const auto piece = plane.subspan(part * plane.size() / 4, sample_bytes / 2);
      sample.insert(sample.end(), piece.begin(), piece.end());
    }
  }

  Codec codec;
  Context search = search_context(codec);
  Context plain = plain_context();
  std::vector<std::byte> shuffled;
  std::vector<std::byte> sample;
  std::vector<std::byte> frame;
  std::vector<std::byte> other_frame;
};

FrameEncoder::FrameEncoder(Codec codec) : state_(new State(codec)) {}
FrameEncoder::~FrameEncoder() = default;

std::span<const std::byte> FrameEncoder::encode(std::span<const std::byte> raw, std::size_t item_bytes,
                                                format::Codec codec) {
  if (codec == format::Codec::raw) return raw;
  State& state = *state_;
  std::span<const std::byte> input = raw;
  if (item_bytes > 1) {
    if (state.shuffled.size() < raw.size()) state.shuffled.resize(raw.size());
    const std::span<std::byte> shuffled = std::span(state.shuffled).first(raw.size());
    shuffle(raw, item_bytes, shuffled);
    input = shuffled;
  }
  const bool searches = state.is_search_worthwhile(input, item_bytes);
  const std::size_t size = state.compress(searches ? state.search : state.plain, input, state.frame);
  if (state.codec != Codec::small) return std::span(state.frame).first(size);
  const std::size_t other = state.compress(state.plain, input, state.other_frame);
  return other < size ? std::span(state.other_frame).first(other) : std::span(state.frame).first(size);
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
