#include "cli/suggestion.h"

#include <algorithm>

#include "traces/suggest.h"

namespace goldentrace {
namespace {

constexpr std::size_t listed_names = 8;

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

std::string suggestion(std::string_view name, const std::vector<std::string>& candidates) {
  if (candidates.empty()) return "";
  const std::vector<std::string> close = closest_names(name, candidates);
  if (!close.empty()) return "did you mean " + joined(close) + "?";
  const std::size_t count = std::min(candidates.size(), listed_names);
  std::string text = "known: " + joined({candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(count)});
  if (count < candidates.size()) text += " … (" + std::to_string(candidates.size()) + " in all)";
  return text;
}

}  // namespace goldentrace
