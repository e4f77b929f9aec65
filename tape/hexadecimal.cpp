#include "tape/hexadecimal.h"

#include "traces/error.h"

namespace goldentrace {
namespace {

unsigned digit_value(char digit) {
  if (digit >= '0' && digit <= '9') return static_cast<unsigned>(digit - '0');
  if (digit >= 'a' && digit <= 'f') return static_cast<unsigned>(digit - 'a') + 10;
  throw Error(ErrorCode::damaged, "a generator state holds a character that is no hexadecimal digit");
}

}  // namespace

std::string to_hexadecimal(std::span<const std::byte> bytes) {
  static constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const std::byte byte : bytes) {
    text.push_back(digits[std::to_integer<unsigned>(byte) >> 4]);
    text.push_back(digits[std::to_integer<unsigned>(byte) & 15]);
  }
  return text;
}

std::vector<std::byte> from_hexadecimal(std::string_view text) {
  if (text.size() % 2 != 0) throw Error(ErrorCode::damaged, "a generator state ends in the middle of a byte");
  std::vector<std::byte> bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(digit_value(text[i]) << 4 | digit_value(text[i + 1])));
  }
  return bytes;
}

}  // namespace goldentrace
