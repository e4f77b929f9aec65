// The fixed words of tape text, shared by its writer and its parser. Grammar: docs/FORMAT.md.
#pragma once

#include <array>
#include <string_view>

#include "traces/tape.h"

namespace goldentrace::tape_words {

inline constexpr std::string_view title = "goldentrace.tape/1";
inline constexpr std::string_view none = "none";
inline constexpr std::string_view yes = "true";
inline constexpr std::string_view no = "false";
inline constexpr std::array<std::string_view, 3> sources{"external", "op", "alias"};  // in the order of ValueSource
inline constexpr int deepest_list = 32;                                               // nesting that a parser follows

constexpr std::string_view source(ValueSource value) { return sources[static_cast<std::size_t>(value)]; }

}  // namespace goldentrace::tape_words
