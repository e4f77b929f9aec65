#include "traces/header_text.h"

#include <charconv>

#include "traces/error.h"
#include "traces/format.h"

namespace goldentrace {
namespace {

std::string escaped(std::string_view text, bool is_name) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\\') {
      out += "\\\\";
    } else if (c == '\n') {
      out += "\\n";
    } else if (byte < 0x20 || byte == 0x7f || (is_name && c == '=')) {
      out += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    } else {
      out += c;
    }
  }
  return out;
}

[[noreturn]] void refuse() { throw Error(ErrorCode::damaged, "the header does not parse"); }

// Takes what follows a backslash.
char take_escape(std::string_view& rest) {
  if (rest.empty()) refuse();
  const char kind = rest.front();
  rest.remove_prefix(1);
  if (kind == '\\') return '\\';
  if (kind == 'n') return '\n';
  unsigned value = 0;
  if (kind != 'x' || rest.size() < 2) refuse();
  const auto [end, failure] = std::from_chars(rest.data(), rest.data() + 2, value, 16);
  if (failure != std::errc() || end != rest.data() + 2) refuse();
  rest.remove_prefix(2);
  return static_cast<char>(value);
}

std::string unescaped(std::string_view rest) {
  std::string out;
  while (!rest.empty()) {
    const char c = rest.front();
    rest.remove_prefix(1);
    out += c == '\\' ? take_escape(rest) : c;
  }
  return out;
}

}  // namespace

std::string to_text(const Header& header) {
  std::string text(format::header_title);
  for (const auto& [name, value] : header) text += escaped(name, true) + '=' + escaped(value, false) + '\n';
  return text;
}

Header parse_header(std::string_view text) {
  if (!text.starts_with(format::header_title)) refuse();
  text.remove_prefix(format::header_title.size());
  Header header;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) refuse();
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) refuse();
    header[unescaped(line.substr(0, equals))] = unescaped(line.substr(equals + 1));
  }
  return header;
}

}  // namespace goldentrace
