#include "cli/number_option.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <type_traits>

#include "cli/number.h"

namespace goldentrace {
namespace {

template <class Number>
struct Parsed {
  Number value{};
  std::errc failure{};
  bool ok() const { return failure == std::errc(); }
  bool too_large() const { return failure == std::errc::result_out_of_range; }
};

// Plain decimal and nothing behind it: CLI11 itself takes octal, hexadecimal, "nan", and clamps what does not fit.
template <class Number>
Parsed<Number> parse(const std::string& text) {
  Parsed<Number> parsed;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), parsed.value);
  parsed.failure = failure;
  if (end != text.data() + text.size()) parsed.failure = std::errc::invalid_argument;
  if constexpr (std::is_floating_point_v<Number>) {
    if (parsed.ok() && !std::isfinite(parsed.value)) parsed.failure = std::errc::invalid_argument;
  }
  return parsed;
}

template <class Number>
std::string canonical(Number value) {
  if constexpr (std::is_floating_point_v<Number>) return decimal(value);
  return std::to_string(value);
}

template <class Number>
std::string range_text(Number lowest, Number highest) {
  return " from " + std::to_string(lowest) + " to " + std::to_string(highest);
}
std::string at_least(std::int64_t lowest) { return " of at least " + std::to_string(lowest); }

// `fault` says what the value is not, "no integer of at least 0"; nothing when it may stay.
template <class Number>
CLI::Option* plain_number(CLI::Option* option, std::function<std::string(const Parsed<Number>&)> fault) {
  return option->transform(CLI::Validator(
      [fault = std::move(fault)](std::string& text) {
        const Parsed<Number> parsed = parse<Number>(text);
        const std::string what = fault(parsed);
        if (!what.empty()) return "'" + text + "' is " + what;
        text = canonical(parsed.value);
        return std::string();
      },
      "", "range"));
}

}  // namespace

CLI::Option* integer_between(CLI::Option* option, std::int64_t lowest, std::int64_t highest) {
  return plain_number<std::int64_t>(option->type_name("N"), [lowest, highest](const Parsed<std::int64_t>& parsed) {
    if (parsed.ok() && parsed.value >= lowest && parsed.value <= highest) return std::string();
    const bool bounded = highest != std::numeric_limits<std::int64_t>::max();
    return "no integer" + (bounded || parsed.too_large() ? range_text(lowest, highest) : at_least(lowest));
  });
}

CLI::Option* integer_from(CLI::Option* option, std::int64_t lowest) {
  return integer_between(option, lowest, std::numeric_limits<std::int64_t>::max());
}

CLI::Option* unsigned_integer(CLI::Option* option) {
  return plain_number<std::uint64_t>(option->type_name("N"), [](const Parsed<std::uint64_t>& parsed) {
    return parsed.ok() ? "" : "no integer" + range_text<std::uint64_t>(0, std::numeric_limits<std::uint64_t>::max());
  });
}

CLI::Option* any_number(CLI::Option* option) {
  return plain_number<double>(option->type_name("X"), [](const Parsed<double>& parsed) {
    return parsed.ok() ? "" : std::string("no finite number");
  });
}

CLI::Option* number_from(CLI::Option* option, double lowest) {
  return plain_number<double>(option->type_name("X"), [lowest](const Parsed<double>& parsed) {
    return parsed.ok() && parsed.value >= lowest ? "" : "no finite number of at least " + decimal(lowest);
  });
}

CLI::Option* number_above(CLI::Option* option, double bound) {
  return plain_number<double>(option->type_name("X"), [bound](const Parsed<double>& parsed) {
    return parsed.ok() && parsed.value > bound ? "" : "no finite number above " + decimal(bound);
  });
}

CLI::Option* probability(CLI::Option* option) {
  return plain_number<double>(option->type_name("P"), [](const Parsed<double>& parsed) {
    return parsed.ok() && parsed.value >= 0 && parsed.value < 1 ? "" : std::string("no number from 0 to below 1");
  });
}

CLI::Option* byte_size(CLI::Option* option, std::uint64_t lowest) {
  return option->type_name("SIZE")->transform(CLI::Validator(
      [lowest](std::string& text) {
        const std::optional<std::uint64_t> bytes = parse_bytes(text);
        if (!bytes || *bytes < lowest) {
          return "'" + text + "' is no size of at least " + human_bytes(lowest) + "; write bytes such as 500MB or 2GiB";
        }
        text = std::to_string(*bytes);
        return std::string();
      },
      "", "size"));
}

}  // namespace goldentrace
