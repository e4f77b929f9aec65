#include "diff/number.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace goldentrace {

namespace {

std::string show_nonfinite(double value) {
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

}  // namespace

std::string show(double value, int digits) {
  if (!std::isfinite(value)) return show_nonfinite(value);
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.*g", digits, value);
  return buffer.data();
}

std::string json_word(double nonfinite) {
  if (std::isnan(nonfinite)) return "NaN";
  return nonfinite > 0 ? "Infinity" : "-Infinity";
}

std::string show_exact(double value) {
  if (!std::isfinite(value)) return show_nonfinite(value);
  std::array<char, 64> buffer{};
  const auto [end, code] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), end};
}

std::string show_list(std::span<const std::int64_t> values) {
  std::string text;
  for (const std::int64_t value : values) text += (text.empty() ? "" : ", ") + std::to_string(value);
  return "[" + text + "]";
}

std::string counted(std::int64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::vector<std::int64_t> coordinates(std::int64_t flat_index, std::span<const std::int64_t> shape) {
  if (flat_index < 0) return {};
  std::vector<std::int64_t> place(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    if (shape[axis] <= 0) return {};
    place[axis] = flat_index % shape[axis];
    flat_index /= shape[axis];
  }
  return place;
}

}  // namespace goldentrace
