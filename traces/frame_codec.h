// One frame: the stored form of one chunk. Codec shuffled_zstd: byte shuffle, then one Zstandard frame that states its
// content size; what HDF5's filters 2 and 32015 make of the same chunk.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "traces/codec.h"
#include "traces/format.h"

namespace goldentrace {

// What a codec means for the file.
struct CodecSettings {
  format::Codec stored;
  int level;                // of Zstandard, as the filter's parameter says it
  std::size_t chunk_bytes;  // most raw bytes of a chunk of a tensor
};
CodecSettings settings_of(Codec codec);

// Keeps its buffers and Zstandard context between calls. One thread at a time.
class FrameEncoder {
 public:
  explicit FrameEncoder(Codec codec);
  ~FrameEncoder();
  FrameEncoder(const FrameEncoder&) = delete;
  FrameEncoder& operator=(const FrameEncoder&) = delete;

  // The result lies in the encoder (or is `raw` itself) and is valid until the next call.
  std::span<const std::byte> encode(std::span<const std::byte> raw, std::size_t item_bytes, format::Codec codec);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Fills `raw` exactly, or Error(damaged). Never writes more, whatever the frame claims. Any thread.
void decode_frame(std::span<const std::byte> frame, std::size_t item_bytes, format::Codec codec,
                  std::span<std::byte> raw);

}  // namespace goldentrace
