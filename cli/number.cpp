#include "cli/number.h"

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

namespace goldentrace {

std::string decimal(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::array<char, 32> buffer;
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

nlohmann::ordered_json json_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  return value;
}

namespace {

// Bytes of a unit; 0 when there is no such unit.
double unit_bytes(std::string unit) {
  static const std::map<std::string, double> units = {
      {"", 1},      {"b", 1},       {"bytes", 1},      {"k", 1e3},           {"kb", 1e3},
      {"m", 1e6},   {"mb", 1e6},    {"g", 1e9},        {"gb", 1e9},          {"t", 1e12},
      {"tb", 1e12}, {"kib", 1024.}, {"mib", 1048576.}, {"gib", 1073741824.}, {"tib", 1099511627776.}};
  for (char& c : unit) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto found = units.find(unit);
  return found == units.end() ? 0 : found->second;
}

}  // namespace

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  double number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (failure != std::errc()) return std::nullopt;
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (unit.starts_with(' ')) unit.remove_prefix(1);
  const double bytes = number * unit_bytes(std::string(unit));
  constexpr double most = 9.2e18;
  const bool known = unit_bytes(std::string(unit)) > 0 && std::isfinite(bytes) && bytes >= 0 && bytes < most;
  return known ? std::optional(static_cast<std::uint64_t>(bytes)) : std::nullopt;
}

std::string human_bytes(std::uint64_t bytes) {
  if (bytes < 1000) return std::to_string(bytes) + " bytes";
  constexpr std::array units = {"kB", "MB", "GB", "TB"};
  double value = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  while (value >= 999.95 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  std::array<char, 32> buffer;
  std::snprintf(buffer.data(), buffer.size(), "%.1f %s", value, units[unit]);
  return buffer.data();
}

}  // namespace goldentrace
