#include "diff/loss_text.h"

#include <algorithm>
#include <cmath>

#include "diff/number.h"

namespace goldentrace {

namespace {

std::string padded(std::string text, std::size_t width) {
  text.insert(0, width - std::min(width, text.size()), ' ');
  return text;
}

std::string loss(const std::optional<double>& value) { return value ? show(*value, 9) : "(none)"; }

std::string line_of(const LossPoint& point) {
  std::string text =
      "  " + padded(std::to_string(point.step), 6) + padded(loss(point.a), 16) + padded(loss(point.b), 16);
  if (!point.a || !point.b) return text;
  const double difference = *point.a == *point.b ? 0 : std::abs(*point.a - *point.b) / std::abs(*point.a);
  return text + padded(show(difference, 3), 12) + (point.within ? "" : "  out of the gate");
}

}  // namespace

std::vector<std::string> loss_lines(const LossCurve& curve, std::size_t limit) {
  const std::size_t count = curve.points.size();
  if (count == 0 || (count == 1 && !curve.first_outside)) return {};
  std::size_t first = 0;
  if (curve.first_outside) {
    const auto at = std::ranges::find(curve.points, *curve.first_outside, &LossPoint::step) - curve.points.begin();
    const std::size_t before = std::min(static_cast<std::size_t>(at), limit / 2);
    first = std::min(static_cast<std::size_t>(at) - before, count - std::min(count, limit));
  }
  std::vector<std::string> lines{"  " + padded("step", 6) + padded("A", 16) + padded("B", 16) +
                                 padded("|A-B|/|A|", 12)};
  const std::size_t end = std::min(count, first + limit);
  if (first > 0) lines.push_back("  … " + std::to_string(first) + " before");
  for (std::size_t i = first; i < end; ++i) lines.push_back(line_of(curve.points[i]));
  if (end < count) lines.push_back("  … and " + std::to_string(count - end) + " more");
  if (curve.inside)
    lines.push_back("  first step out of the gate: " + std::to_string(*curve.first_outside) + ", where " +
                    describe(*curve.inside) + " comes first");
  return lines;
}

}  // namespace goldentrace
