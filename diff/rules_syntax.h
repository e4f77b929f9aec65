// What is wrong with a line of a rules file that is no TOML, in words of our own.
#pragma once

#include <string>
#include <string_view>

namespace goldentrace {

// Where and what, for people: {3, "'rel' needs a number, as in rel = 1e-4; found 'small'"}.
struct SyntaxError {
  int line = 1;
  std::string text;
};

// `line`: where the TOML parser gave up, from 1. It may be the line behind the faulty one; lines without text are
// passed over backwards.
SyntaxError explain_syntax(std::string_view text, int line);

}  // namespace goldentrace
