#include "traces/suggest.h"

#include <algorithm>
#include <numeric>

namespace goldentrace {
namespace {

constexpr std::size_t longest = 256;

bool contains(std::string_view a, std::string_view b) { return !b.empty() && a.find(b) != std::string_view::npos; }

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  a = a.substr(0, longest);
  b = b.substr(0, longest);
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::vector<std::size_t> next(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    next[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = row[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      next[j] = std::min({replaced, row[j] + 1, next[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) next[j] = std::min(next[j], before[j - 2] + 1);
    }
    std::swap(before, row);
    std::swap(row, next);
  }
  return row[b.size()];
}

std::vector<std::string> closest_names(std::string_view wanted, std::span<const std::string> names, std::size_t most) {
  const std::size_t furthest = std::max<std::size_t>(2, wanted.size() / 3);
  std::vector<std::pair<std::size_t, std::size_t>> ranked;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::size_t distance = edit_distance(wanted, names[i]);
    if (distance <= furthest || contains(names[i], wanted) || contains(wanted, names[i]))
      ranked.emplace_back(distance, i);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string> closest;
  for (const auto& [distance, i] : ranked) {
    if (closest.size() == most) break;
    if (std::find(closest.begin(), closest.end(), names[i]) == closest.end()) closest.push_back(names[i]);
  }
  return closest;
}

std::string unknown_name(std::string_view what, std::string_view wanted, std::span<const std::string> names) {
  std::string text = "no " + std::string(what) + " '" + std::string(wanted) + "'";
  const std::vector<std::string> closest = closest_names(wanted, names);
  for (std::size_t i = 0; i < closest.size(); ++i) text += (i == 0 ? "; closest: " : ", ") + closest[i];
  return text;
}

}  // namespace goldentrace
