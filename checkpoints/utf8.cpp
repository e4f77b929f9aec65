#include "checkpoints/utf8.h"

#include <algorithm>
#include <cstdint>

namespace goldentrace {
namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";

struct Lead {
  std::size_t length = 0;                      // of the whole sequence; 0: no first byte
  std::uint8_t lowest = 0x80, highest = 0xbf;  // of the second byte
};

Lead lead_of(unsigned char byte) {
  if (byte < 0x80) return {1};
  if (byte < 0xc2 || byte > 0xf4) return {};
  if (byte < 0xe0) return {2};
  if (byte < 0xf0)
    return {3, byte == 0xe0 ? std::uint8_t{0xa0} : std::uint8_t{0x80},
            byte == 0xed ? std::uint8_t{0x9f} : std::uint8_t{0xbf}};
  return {4, byte == 0xf0 ? std::uint8_t{0x90} : std::uint8_t{0x80},
          byte == 0xf4 ? std::uint8_t{0x8f} : std::uint8_t{0xbf}};
}

// Bytes of the sequence at the start of the text that are right, at least 1.
std::size_t right_bytes(std::string_view text, const Lead& lead) {
  std::size_t count = 1;
  for (; count < std::min(lead.length, text.size()); ++count) {
    const auto byte = static_cast<unsigned char>(text[count]);
    const bool fits = count == 1 ? byte >= lead.lowest && byte <= lead.highest : byte >= 0x80 && byte <= 0xbf;
    if (!fits) break;
  }
  return count;
}

}  // namespace

std::string repaired_utf8(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const Lead lead = lead_of(static_cast<unsigned char>(text[0]));
    const std::size_t count = right_bytes(text, lead);
    result.append(count == lead.length ? text.substr(0, count) : replacement);
    text.remove_prefix(count);
  }
  return result;
}

char32_t next_code_point(std::string_view text, std::size_t& position) {
  const auto first = static_cast<unsigned char>(text[position++]);
  if (first < 0x80) return first;
  const std::size_t more = first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
  char32_t value = first & (0x3f >> more);
  for (std::size_t i = 0; i < more; ++i) value = (value << 6) | (static_cast<unsigned char>(text[position++]) & 0x3f);
  return value;
}

void append_utf8(std::string& text, char32_t c) {
  const auto put = [&](char32_t bits) { text += static_cast<char>(bits); };
  if (c < 0x80) return put(c);
  if (c < 0x800) {
    put(0xc0 | (c >> 6));
  } else if (c < 0x10000) {
    put(0xe0 | (c >> 12));
    put(0x80 | ((c >> 6) & 0x3f));
  } else {
    put(0xf0 | (c >> 18));
    put(0x80 | ((c >> 12) & 0x3f));
    put(0x80 | ((c >> 6) & 0x3f));
  }
  put(0x80 | (c & 0x3f));
}

}  // namespace goldentrace
