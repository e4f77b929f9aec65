// Numbers as zip archives and pickles store them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace goldentrace {

// The first sizeof(T) bytes, which must be there.
template <typename T>
T read_little_endian(std::span<const std::byte> bytes) {
  std::make_unsigned_t<T> value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    value = static_cast<std::make_unsigned_t<T>>(value | (static_cast<std::make_unsigned_t<T>>(bytes[i]) << (8 * i)));
  return static_cast<T>(value);
}

// Appends to a std::string or std::vector of bytes.
template <typename T, typename Buffer>
void append_little_endian(Buffer& buffer, T value) {
  const auto bits = static_cast<std::make_unsigned_t<T>>(value);
  for (std::size_t i = 0; i < sizeof(T); ++i)
    buffer.push_back(static_cast<typename Buffer::value_type>((bits >> (8 * i)) & 0xff));
}

}  // namespace goldentrace
