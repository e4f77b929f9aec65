#include "cli/step_list.h"

#include <charconv>
#include <set>
#include <string_view>

#include "traces/error.h"

namespace goldentrace {
namespace {

constexpr std::size_t most_numbers = 1'000'000;

[[noreturn]] void refuse(const std::string& option, std::string_view part) {
  throw Error(ErrorCode::usage,
              option + ": '" + std::string(part) + "' is no number or range; write numbers such as 0,4-7");
}

std::int64_t parse_number(std::string_view text, const std::string& option, std::string_view part) {
  std::int64_t value = 0;
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || stop != text.data() + text.size() || value < 0) refuse(option, part);
  return value;
}

}  // namespace

std::vector<std::int64_t> parse_number_list(const std::string& text, const std::string& option) {
  std::set<std::int64_t> numbers;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find(','));
    const std::size_t dash = part.find('-');
    const std::int64_t first = parse_number(part.substr(0, dash), option, part);
    const std::int64_t last = dash == part.npos ? first : parse_number(part.substr(dash + 1), option, part);
    if (last < first) refuse(option, part);
    if (static_cast<std::uint64_t>(last - first) >= most_numbers) {
      throw Error(ErrorCode::usage, option + ": more than a million numbers");
    }
    for (std::int64_t number = first; number <= last; ++number) numbers.insert(number);
    rest.remove_prefix(part.size());
    if (rest.size() == 1) refuse(option, text);
    if (!rest.empty()) rest.remove_prefix(1);
  }
  return {numbers.begin(), numbers.end()};
}

}  // namespace goldentrace
