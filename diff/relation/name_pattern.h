// Patterns over dotted names whose matched parts carry over to another name: "layers.{i}.mlp.*" gives "h.{i}.mlp.*".
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace goldentrace {

// What the named parts of a pattern stood for: {"i": "3"}; the stars are "*1", "*2" in their order.
using Captures = std::map<std::string, std::string, std::less<>>;

// {name}: one or more characters without a dot; the same name twice must stand for the same text. '*': any characters,
// dots included, or none. At most 6 of both. Everything else stands for itself.
class NamePattern {
 public:
  NamePattern() : NamePattern("*") {}
  // Error(usage) for a brace that is not closed, an empty or repeated-star name, or too many parts.
  explicit NamePattern(std::string_view text);

  const std::string& text() const { return text_; }
  std::set<std::string> names() const;  // of its captures
  // `known`: captures that are bound already.
  std::optional<Captures> match(std::string_view name, Captures known = {}) const;
  // Every capture of this pattern must be there (the relation's validation sees to it); a missing one gives no text.
  std::string expand(const Captures& captures) const;

 private:
  struct Part {
    std::string literal;  // what stands before the capture
    std::string capture;  // empty: the end of the pattern
  };

  bool match_from(std::size_t part, std::string_view rest, Captures& captures) const;
  bool match_capture(std::size_t part, std::string_view rest, Captures& captures) const;

  std::string text_;
  std::vector<Part> parts_;
};

}  // namespace goldentrace
