#include "recorder/capture.h"

#include <array>
#include <string>

#include "traces/error.h"

namespace goldentrace {
namespace {

constexpr std::array<std::string_view, 4> captures = {"full", "sketch", "check", "off"};
constexpr std::array<std::string_view, 2> policies = {"block", "sketch"};

template <typename Word, std::size_t count>
Word parse(std::string_view text, const std::array<std::string_view, count>& words, const std::string& what) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) {
    if (words[i] == text) return static_cast<Word>(i);
    all += (i == 0 ? "" : ", ") + std::string(words[i]);
  }
  throw Error(ErrorCode::usage, what + " '" + std::string(text) + "' is none of " + all);
}

}  // namespace

std::string_view name(Capture capture) { return captures[static_cast<std::size_t>(capture)]; }
Capture parse_capture(std::string_view name) { return parse<Capture>(name, captures, "capture"); }
std::string_view name(WhenFull when_full) { return policies[static_cast<std::size_t>(when_full)]; }
WhenFull parse_when_full(std::string_view name) { return parse<WhenFull>(name, policies, "policy"); }

}  // namespace goldentrace
