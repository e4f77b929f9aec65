#include "traces/glob.h"

#include <optional>

namespace goldentrace {
namespace {

constexpr std::size_t none = std::string_view::npos;

// Bytes of the UTF-8 character at the front; 1 for what is no UTF-8.
std::size_t character_bytes(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return bytes <= text.size() ? bytes : 1;
}

// What a set at the front of a pattern says about a character; nothing when it has no end.
struct SetMatch {
  bool matches = false;
  std::size_t pattern_bytes = 0;
};

std::optional<SetMatch> match_set(std::string_view pattern, char c) {
  std::size_t at = 1;
  const bool inverted = at < pattern.size() && (pattern[at] == '!' || pattern[at] == '^');
  if (inverted) ++at;
  const std::size_t end = pattern.find(']', at + 1);  // a ']' at the front is a member
  if (end == none) return std::nullopt;
  const auto byte = static_cast<unsigned char>(c);
  bool found = false;
  while (at < end) {
    const auto first = static_cast<unsigned char>(pattern[at]);
    const bool is_range = at + 2 < end && pattern[at + 1] == '-';
    const auto last = is_range ? static_cast<unsigned char>(pattern[at + 2]) : first;
    found = found || (first <= byte && byte <= last);
    at += is_range ? 3 : 1;
  }
  return SetMatch{found != inverted, end + 1};
}

// Bytes of pattern and text that one single-character step takes; nothing when they do not match.
struct Step {
  std::size_t pattern_bytes = 0;
  std::size_t text_bytes = 0;
};

std::optional<Step> match_one(std::string_view pattern, std::string_view text) {
  if (pattern.empty() || text.empty()) return std::nullopt;
  if (pattern.front() == '?') return Step{1, character_bytes(text)};
  if (pattern.front() == '[') {
    if (const auto set = match_set(pattern, text.front())) {
      return set->matches ? std::optional(Step{set->pattern_bytes, 1}) : std::nullopt;
    }
  }
  const std::size_t skipped = pattern.front() == '\\' && pattern.size() > 1 ? 1 : 0;
  return pattern[skipped] == text.front() ? std::optional(Step{skipped + 1, 1}) : std::nullopt;
}

}  // namespace

bool glob_match(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t after_star = none;  // where the pattern goes on behind the last star
  std::size_t star_text = 0;      // what that star does not take
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      after_star = ++p;
      star_text = t;
    } else if (const auto step = match_one(pattern.substr(p), text.substr(t))) {
      p += step->pattern_bytes;
      t += step->text_bytes;
    } else if (after_star != none) {
      p = after_star;
      t = ++star_text;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace goldentrace
