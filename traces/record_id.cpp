#include "traces/record_id.h"

#include <array>
#include <charconv>
#include <concepts>

#include "traces/error.h"

namespace goldentrace {
namespace {

constexpr std::array<std::string_view, 4> pass_names{"forward", "recompute", "backward", "update"};
constexpr std::array<std::string_view, 9> role_names{"input",      "output", "grad_output", "grad_input", "param",
                                                     "param_grad", "buffer", "loss",        "op_output"};

template <std::size_t n>
std::string listed(const std::array<std::string_view, n>& names) {
  std::string text;
  for (std::string_view each : names) text += (text.empty() ? "" : ", ") + std::string(each);
  return text;
}

template <typename Enum, std::size_t n>
Enum parse_name(const std::array<std::string_view, n>& names, std::string_view text, const char* what) {
  for (std::size_t i = 0; i < n; ++i) {
    if (names[i] == text) return static_cast<Enum>(i);
  }
  throw Error(ErrorCode::usage, std::string("unknown ") + what + " '" + std::string(text) + "'; use " + listed(names));
}

bool is_escaped(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return c == '/' || c == '#' || c == ':' || c == '%' || byte < 0x20 || byte == 0x7f;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

[[noreturn]] void refuse(std::string_view id, const std::string& part) {
  throw Error(ErrorCode::usage,
              "record id '" + std::string(id) + "': " + part + "; expected STEP:MICRO:RANK/PASS/LAYER#CALL/ROLE.INDEX");
}

// Cuts `rest` at the first `separator` and returns what was before it.
std::string_view take(std::string_view& rest, char separator, std::string_view id, const char* part) {
  const std::size_t at = rest.find(separator);
  if (at == std::string_view::npos) refuse(id, std::string("no '") + separator + "' after the " + part);
  const std::string_view head = rest.substr(0, at);
  rest.remove_prefix(at + 1);
  return head;
}

template <std::signed_integral Integer>
Integer take_number(std::string_view text, std::string_view id, const char* part) {
  Integer value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size() || value < 0) {
    refuse(id, std::string(part) + " '" + std::string(text) + "' is not a number");
  }
  return value;
}

}  // namespace

std::string_view name(Pass pass) { return pass_names.at(static_cast<std::size_t>(pass)); }
std::string_view name(Role role) { return role_names.at(static_cast<std::size_t>(role)); }
Pass parse_pass(std::string_view text) { return parse_name<Pass>(pass_names, text, "pass"); }
Role parse_role(std::string_view text) { return parse_name<Role>(role_names, text, "role"); }

std::string escape_label(std::string_view label) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string text;
  text.reserve(label.size());
  for (char c : label) {
    if (!is_escaped(c)) {
      text += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    text += {'%', digits[byte >> 4], digits[byte & 15]};
  }
  return text;
}

std::string unescape_label(std::string_view text) {
  std::string label;
  label.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      label += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
    if (high < 0 || low < 0) {
      throw Error(ErrorCode::usage, "'" + std::string(text) + "': '%' is not followed by two hexadecimal digits");
    }
    label += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return label;
}

std::string to_string(const RecordId& id) {
  std::string text = std::to_string(id.step) + ':';
  text += id.micro == no_micro ? "-" : std::to_string(id.micro);
  text += ':' + std::to_string(id.rank) + '/';
  text += name(id.pass);
  text += '/' + escape_label(id.layer) + '#' + std::to_string(id.call) + '/';
  text += name(id.role);
  return text + '.' + escape_label(id.index);
}

std::string describe(const RecordId& id) {
  std::string text = "step " + std::to_string(id.step);
  if (id.micro != no_micro) text += " · micro " + std::to_string(id.micro);
  text += " · rank " + std::to_string(id.rank) + " · ";
  text += name(id.pass);
  text += " · " + id.layer;
  if (id.call != 0) text += '#' + std::to_string(id.call);
  text += " · ";
  text += name(id.role);
  return text + ' ' + id.index;
}

RecordId parse_record_id(std::string_view text) {
  RecordId id;
  std::string_view rest = text;
  id.step = take_number<std::int64_t>(take(rest, ':', text, "step"), text, "step");
  const std::string_view micro = take(rest, ':', text, "micro");
  id.micro = micro == "-" ? no_micro : take_number<std::int64_t>(micro, text, "micro");
  id.rank = take_number<std::int32_t>(take(rest, '/', text, "rank"), text, "rank");
  id.pass = parse_pass(take(rest, '/', text, "pass"));
  id.layer = unescape_label(take(rest, '#', text, "layer"));
  id.call = take_number<std::int32_t>(take(rest, '/', text, "call"), text, "call");
  id.role = parse_role(take(rest, '.', text, "role"));
  id.index = unescape_label(rest);
  if (id.layer.empty()) refuse(text, "the layer is empty");
  if (id.index.empty()) refuse(text, "the index is empty");
  return id;
}

}  // namespace goldentrace
