#include "traces/zstd_filter.h"

#include <hdf5.h>
#include <zstd.h>

#include <cstdlib>

#include "traces/format.h"

namespace goldentrace {
namespace {

// HDF5 gives and takes chunk buffers of the C heap. The filter calls nothing of libhdf5: as a plugin it may be loaded
// beside any build of it.
struct Buffer {
  std::size_t* capacity;
  void** data;

  std::size_t replace(void* with, std::size_t bytes, std::size_t used) const {
    std::free(*data);
    *data = with;
    *capacity = bytes;
    return used;
  }
};

std::size_t compress(const Buffer& buffer, std::size_t bytes, int level) {
  const std::size_t bound = ZSTD_compressBound(bytes);
  void* const frame = std::malloc(bound);
  if (frame == nullptr) return 0;
  const std::size_t size = ZSTD_compress(frame, bound, *buffer.data, bytes, level);
  if (ZSTD_isError(size) == 0) return buffer.replace(frame, bound, size);
  std::free(frame);
  return 0;
}

// One whole frame, that states its size, of the size that the dataset says.
bool is_acceptable(const void* frame, std::size_t bytes, unsigned long long content, std::size_t expected) {
  constexpr unsigned long long largest_chunk_of_hdf5 = 0xffffffffull;
  const std::size_t length = ZSTD_findFrameCompressedSize(frame, bytes);
  return ZSTD_isError(length) == 0 && length == bytes && content > 0 && content <= largest_chunk_of_hdf5 &&
         (expected == 0 || content == expected);
}

std::size_t decompress(const Buffer& buffer, std::size_t bytes, std::size_t expected) {
  const unsigned long long content = ZSTD_getFrameContentSize(*buffer.data, bytes);
  if (!is_acceptable(*buffer.data, bytes, content, expected)) return 0;
  void* const raw = std::malloc(content);
  if (raw == nullptr) return 0;
  const std::size_t size = ZSTD_decompress(raw, content, *buffer.data, bytes);
  if (ZSTD_isError(size) == 0 && size == content) return buffer.replace(raw, content, size);
  std::free(raw);
  return 0;
}

std::size_t filter(unsigned flags, std::size_t count, const unsigned* parameters, std::size_t bytes,
                   std::size_t* capacity, void** data) {
  const Buffer buffer{capacity, data};
  if ((flags & H5Z_FLAG_REVERSE) != 0) return decompress(buffer, bytes, count > 1 ? parameters[1] : 0);
  return compress(buffer, bytes, count > 0 ? static_cast<int>(parameters[0]) : 1);
}

}  // namespace

const void* zstd_filter_class() {
  static const H5Z_class2_t filter_class{
      H5Z_CLASS_T_VERS, static_cast<H5Z_filter_t>(format::zstd_filter), 1, 1, "Zstandard", nullptr, nullptr, filter};
  return &filter_class;
}

}  // namespace goldentrace
