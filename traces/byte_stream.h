// Bytes of rows, numbers and texts one behind the other: what a journal's entries consist of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "traces/error.h"

namespace goldentrace {

class ByteWriter {
 public:
  explicit ByteWriter(std::vector<std::byte>& out) : out_(out) {}

  void bytes(std::span<const std::byte> bytes) { out_.insert(out_.end(), bytes.begin(), bytes.end()); }
  void text(std::string_view text) { bytes(std::as_bytes(std::span(text))); }
  template <typename Row>
  void row(const Row& row) {
    static_assert(std::is_trivially_copyable_v<Row>);
    bytes(std::as_bytes(std::span(&row, 1)));
  }
  template <typename Number>
  void numbers(std::span<const Number> numbers) {
    bytes(std::as_bytes(numbers));
  }

 private:
  std::vector<std::byte>& out_;
};

// Error(damaged) when more is asked for than there is.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  std::span<const std::byte> bytes(std::uint64_t count) {
    if (count > rest_.size()) throw Error(ErrorCode::damaged, "an entry is shorter than what it says it holds");
    const std::span<const std::byte> taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return taken;
  }
  std::string text(std::uint64_t count) {
    const std::span<const std::byte> taken = bytes(count);
    return {reinterpret_cast<const char*>(taken.data()), taken.size()};
  }
  template <typename Row>
  Row row() {
    static_assert(std::is_trivially_copyable_v<Row>);
    Row row;
    std::memcpy(&row, bytes(sizeof row).data(), sizeof row);
    return row;
  }
  template <typename Number>
  std::vector<Number> numbers(std::uint64_t count) {
    if (count > rest_.size() / sizeof(Number)) {
      throw Error(ErrorCode::damaged, "an entry is shorter than what it says it holds");
    }
    std::vector<Number> out(count);
    const std::span<const std::byte> taken = bytes(count * sizeof(Number));
    if (count != 0) std::memcpy(out.data(), taken.data(), taken.size());
    return out;
  }
  bool at_end() const { return rest_.empty(); }

 private:
  std::span<const std::byte> rest_;
};

}  // namespace goldentrace
