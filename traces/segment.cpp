#include "traces/segment.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace goldentrace {

std::filesystem::path segment_path(const std::filesystem::path& run, std::uint32_t number) {
  std::string digits = std::to_string(number);
  if (digits.size() < 4) digits.insert(0, 4 - digits.size(), '0');
  std::filesystem::path name = run.stem();
  name += "." + digits;
  name += run.extension();
  return run.parent_path() / name;
}

std::vector<std::uint32_t> segments_of(const std::filesystem::path& run) { return segments_of(run, ""); }

std::vector<std::uint32_t> segments_of(const std::filesystem::path& run, std::string_view suffix) {
  const std::string stem = run.stem().string() + '.';
  const std::string ending = run.extension().string() + std::string(suffix);
  const std::filesystem::path folder = run.has_parent_path() ? run.parent_path() : std::filesystem::path(".");
  std::vector<std::uint32_t> numbers;
  std::error_code ignored;
  for (const auto& each : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string file = each.path().filename().string();
    if (file.size() < stem.size() + 4 + ending.size() || !file.starts_with(stem) || !file.ends_with(ending)) continue;
    const std::string digits = file.substr(stem.size(), file.size() - stem.size() - ending.size());
    std::uint32_t number = 0;
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const bool is_segment =
        failure == std::errc() && file == segment_path(run, number).filename().string() + std::string(suffix);
    if (is_segment && end == digits.data() + digits.size()) numbers.push_back(number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

}  // namespace goldentrace
