#include "checkpoints/byte_alphabet.h"

#include <array>
#include <unordered_map>

#include "checkpoints/utf8.h"

namespace goldentrace {
namespace {

constexpr bool stands_for_itself(unsigned byte) {
  return (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
}

constexpr std::array<char32_t, 256> make_characters() {
  std::array<char32_t, 256> characters{};
  char32_t next = 0x100;
  for (unsigned byte = 0; byte < 256; ++byte) characters[byte] = stands_for_itself(byte) ? char32_t{byte} : next++;
  return characters;
}

constexpr std::array<char32_t, 256> characters = make_characters();

std::unordered_map<char32_t, char> make_bytes() {
  std::unordered_map<char32_t, char> bytes;
  for (unsigned byte = 0; byte < 256; ++byte) bytes.emplace(characters[byte], static_cast<char>(byte));
  return bytes;
}

}  // namespace

char32_t character_of_byte(unsigned char byte) { return characters[byte]; }

std::optional<std::string> bytes_of_token(std::string_view token) {
  static const std::unordered_map<char32_t, char> bytes = make_bytes();
  std::string result;
  for (std::size_t i = 0; i < token.size();) {
    const auto byte = bytes.find(next_code_point(token, i));
    if (byte == bytes.end()) return std::nullopt;
    result += byte->second;
  }
  return result;
}

}  // namespace goldentrace
