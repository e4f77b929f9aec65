#include "traces/tape_line.h"

#include <bit>
#include <cctype>
#include <charconv>
#include <limits>

#include "traces/error.h"
#include "traces/tape_words.h"

namespace goldentrace {

void TapeLine::refuse(const std::string& what) const {
  throw Error(ErrorCode::damaged,
              "tape line " + std::to_string(number_) + ", column " + std::to_string(at_ + 1) + ": " + what);
}

void TapeLine::skip_blanks() {
  while (at_ < text_.size() && text_[at_] == ' ') ++at_;
}

bool TapeLine::at_end() {
  skip_blanks();
  return at_ == text_.size();
}

bool TapeLine::next_is(std::string_view word) {
  skip_blanks();
  return text_.substr(at_).starts_with(word);
}

bool TapeLine::skip(std::string_view word) {
  if (!next_is(word)) return false;
  at_ += word.size();
  return true;
}

void TapeLine::expect(std::string_view word) {
  if (!skip(word)) refuse("expected '" + std::string(word) + "'");
}

std::string_view TapeLine::take_word() {
  skip_blanks();
  const std::size_t start = at_;
  while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_')) ++at_;
  if (at_ == start) refuse("expected a word");
  return text_.substr(start, at_ - start);
}

char TapeLine::take_escape() {
  const std::string_view rest = text_.substr(at_);
  if (rest.starts_with('"') || rest.starts_with('\\')) return text_[at_++];
  if (!rest.starts_with('x')) refuse("unknown escape in a quoted text");
  unsigned value = 0;
  const auto [end, failure] =
      std::from_chars(rest.data() + 1, rest.data() + std::min<std::size_t>(3, rest.size()), value, 16);
  if (failure != std::errc() || end != rest.data() + 3) refuse("\\x is not followed by two hexadecimal digits");
  at_ += 3;
  return static_cast<char>(value);
}

std::string TapeLine::take_quoted() {
  expect("\"");
  std::string out;
  while (at_ < text_.size()) {
    const char c = text_[at_++];
    if (c == '"') return out;
    out += c == '\\' ? take_escape() : c;
  }
  refuse("a quoted text does not end");
}

std::int64_t TapeLine::take_integer() {
  skip_blanks();
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
  if (failure != std::errc()) refuse("expected a 64-bit integer");
  at_ = static_cast<std::size_t>(end - text_.data());
  return value;
}

std::int32_t TapeLine::take_small() {
  const std::int64_t value = take_integer();
  if (value < std::numeric_limits<std::int32_t>::min() || value > std::numeric_limits<std::int32_t>::max()) {
    refuse("the number is larger than 32 bits");
  }
  return static_cast<std::int32_t>(value);
}

bool TapeLine::next_is_real() {
  skip_blanks();
  std::string_view rest = text_.substr(at_);
  if (rest.starts_with('-')) rest.remove_prefix(1);
  return rest.starts_with("0x") || rest.starts_with("inf") || rest.starts_with("nan(");
}

std::uint64_t TapeLine::take_hexadecimal() {
  std::uint64_t value = 0;
  const auto [end, failure] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value, 16);
  if (failure != std::errc()) refuse("expected hexadecimal digits");
  at_ = static_cast<std::size_t>(end - text_.data());
  return value;
}

double TapeLine::take_real() {
  if (skip("nan(")) {
    const double value = std::bit_cast<double>(take_hexadecimal());
    if (value == value) refuse("these bits are no NaN");
    expect(")");
    return value;
  }
  const double sign = skip("-") ? -1 : 1;
  if (skip("inf")) return sign * std::numeric_limits<double>::infinity();
  expect("0x");
  double value = 0;
  const char* const first = text_.data() + at_;
  const auto [end, failure] = std::from_chars(first, text_.data() + text_.size(), value, std::chars_format::hex);
  if (failure != std::errc() || *first == '-') refuse("expected a hexadecimal real number");
  at_ = static_cast<std::size_t>(end - text_.data());
  return sign * value;
}

bool TapeLine::take_boolean() {
  if (skip(tape_words::yes)) return true;
  expect(tape_words::no);
  return false;
}

DType TapeLine::take_dtype() {
  const std::string_view word = take_word();
  for (int i = 0; i < dtype_count; ++i) {
    if (name(static_cast<DType>(i)) == word) return static_cast<DType>(i);
  }
  refuse("unknown dtype '" + std::string(word) + "'");
}

Shape TapeLine::take_sizes() {
  Shape sizes;
  expect("[");
  if (skip("]")) return sizes;
  do sizes.push_back(take_integer());
  while (skip(","));
  expect("]");
  return sizes;
}

}  // namespace goldentrace
