#include "traces/printable.h"

#include <algorithm>
#include <cstdint>
#include <span>

namespace goldentrace {
namespace {

using Bytes = std::span<const unsigned char>;

std::string hex(std::uint32_t value, std::size_t digits) {
  constexpr std::string_view symbols = "0123456789abcdef";
  std::string text;
  for (; value > 0 || text.size() < digits; value >>= 4) text.insert(text.begin(), symbols[value & 15]);
  return text;
}

std::string escaped_byte(unsigned char byte) {
  switch (byte) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return "\\x" + hex(byte, 2);
  }
}

bool is_control(std::uint32_t code) {
  const bool separator = code == 0x2028 || code == 0x2029;
  const bool direction = code == 0x61c || code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
                         (code >= 0x2066 && code <= 0x2069);
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || separator || direction || code == 0xfeff;
}

struct CodePoint {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  // 0: no UTF-8
};

std::size_t sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead < 0xe0) return 2;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  return lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
}

// The first character, refused where it is cut, overlong, a surrogate or beyond Unicode (RFC 3629).
CodePoint decode(Bytes text) {
  constexpr std::uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const std::size_t length = sequence_length(text.front());
  if (length == 0 || length > text.size()) return {};
  std::uint32_t code = length == 1 ? text.front() : text.front() & (0x7fU >> length);
  for (const unsigned char byte : text.subspan(1, length - 1)) {
    if ((byte & 0xc0) != 0x80) return {};
    code = code << 6 | (byte & 0x3f);
  }
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  if (code < smallest[length] || surrogate || code > 0x10ffff) return {};
  return {code, length};
}

bool is_plain(unsigned char byte) { return byte >= 0x20 && byte < 0x7f; }

}  // namespace

std::string printable(std::string_view text) {
  Bytes rest(reinterpret_cast<const unsigned char*>(text.data()), text.size());
  if (std::ranges::all_of(rest, is_plain)) return std::string(text);
  std::string result;
  while (!rest.empty()) {
    const CodePoint next = decode(rest);
    const std::size_t length = std::max<std::size_t>(1, next.bytes);
    if (next.bytes == 0 || (next.bytes == 1 && is_control(next.code))) {
      result += escaped_byte(rest.front());
    } else if (is_control(next.code)) {
      result += "\\u{" + hex(next.code, 1) + "}";
    } else {
      result += text.substr(text.size() - rest.size(), length);
    }
    rest = rest.subspan(length);
  }
  return result;
}

}  // namespace goldentrace
