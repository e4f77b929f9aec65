#include "traces/file_rest.h"

#include <algorithm>

#include "traces/content_hasher.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

constexpr std::size_t buffer_bytes = 262144;

class GapHash {
 public:
  explicit GapHash(const ReadBytes& read) : read_(read), buffer_(buffer_bytes) {}

  void add(std::uint64_t from, std::uint64_t to) {
    while (from < to) {
      const std::span part = std::span(buffer_).first(std::min<std::uint64_t>(buffer_.size(), to - from));
      read_(from, part);
      hasher_.append(part);
      from += part.size();
    }
  }

  Hash128 finish() { return hasher_.finish(); }

 private:
  const ReadBytes& read_;
  std::vector<std::byte> buffer_;
  ContentHasher hasher_;
};

}  // namespace

Hash128 hash_of_rest(std::uint64_t file_bytes, std::vector<ByteRange> covered, const ReadBytes& read) {
  std::sort(covered.begin(), covered.end());
  GapHash gaps(read);
  std::uint64_t at = 0;
  for (const ByteRange& range : covered) {
    if (range.address < at || range.address > file_bytes || range.bytes > file_bytes - range.address) {
      throw Error(ErrorCode::damaged, "parts of the file overlap or lie outside it");
    }
    gaps.add(at, range.address);
    at = range.address + range.bytes;
  }
  gaps.add(at, file_bytes);
  return gaps.finish();
}

}  // namespace goldentrace
