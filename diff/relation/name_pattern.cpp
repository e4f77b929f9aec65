#include "diff/relation/name_pattern.h"

#include <algorithm>
#include <cctype>

#include "traces/error.h"

namespace goldentrace {

namespace {

constexpr std::size_t most_captures = 6;

bool is_star(std::string_view capture) { return capture.front() == '*'; }

std::string capture_name(std::string_view text, std::size_t open) {
  const std::size_t close = text.find('}', open);
  if (close == std::string_view::npos) {
    throw Error(ErrorCode::usage, "'{' without '}' in the pattern '" + std::string(text) + "'");
  }
  const std::string_view name = text.substr(open + 1, close - open - 1);
  const auto fits = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  if (name.empty() || !std::ranges::all_of(name, fits)) {
    throw Error(ErrorCode::usage, "'{" + std::string(name) + "}' in the pattern '" + std::string(text) +
                                      "' is no name; use letters, digits and '_'");
  }
  return std::string(name);
}

}  // namespace

NamePattern::NamePattern(std::string_view text) : text_(text) {
  std::string literal;
  std::size_t stars = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '*') {
      parts_.push_back({std::move(literal), "*" + std::to_string(++stars)});
      literal.clear();
    } else if (text[i] == '{') {
      const std::string name = capture_name(text, i);
      i += name.size() + 1;
      parts_.push_back({std::move(literal), name});
      literal.clear();
    } else {
      literal += text[i];
    }
  }
  if (parts_.size() > most_captures) {
    throw Error(ErrorCode::usage,
                "more than " + std::to_string(most_captures) + " parts like {i} and * in the pattern '" + text_ + "'");
  }
  parts_.push_back({std::move(literal), ""});
}

std::set<std::string> NamePattern::names() const {
  std::set<std::string> result;
  for (const Part& part : parts_) {
    if (!part.capture.empty()) result.insert(part.capture);
  }
  return result;
}

std::optional<Captures> NamePattern::match(std::string_view name, Captures known) const {
  if (!match_from(0, name, known)) return std::nullopt;
  return known;
}

bool NamePattern::match_from(std::size_t part, std::string_view rest, Captures& captures) const {
  const Part& here = parts_[part];
  if (!rest.starts_with(here.literal)) return false;
  rest.remove_prefix(here.literal.size());
  return here.capture.empty() ? rest.empty() : match_capture(part, rest, captures);
}

bool NamePattern::match_capture(std::size_t part, std::string_view rest, Captures& captures) const {
  const std::string& name = parts_[part].capture;
  if (const auto known = captures.find(name); known != captures.end()) {
    const std::string& text = known->second;
    return rest.starts_with(text) && match_from(part + 1, rest.substr(text.size()), captures);
  }
  const std::size_t longest = is_star(name) ? rest.size() : std::min(rest.size(), rest.find('.'));
  for (std::size_t length = is_star(name) ? 0 : 1; length <= longest; ++length) {
    captures[name] = std::string(rest.substr(0, length));
    if (match_from(part + 1, rest.substr(length), captures)) return true;
  }
  captures.erase(name);
  return false;
}

std::string NamePattern::expand(const Captures& captures) const {
  std::string result;
  for (const Part& part : parts_) {
    result += part.literal;
    const auto found = captures.find(part.capture);
    if (!part.capture.empty() && found != captures.end()) result += found->second;
  }
  return result;
}

}  // namespace goldentrace
