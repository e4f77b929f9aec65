#include "diff/loss_curve.h"

#include <algorithm>
#include <map>

#include "diff/loss_value.h"

namespace goldentrace {

namespace {

bool is_reported(const RecordId& id) { return id.pass == Pass::update; }

// The pair of losses of every step.
std::map<std::int64_t, std::int64_t> pairs_of_steps(const JudgedPairs& pairs) {
  std::map<std::int64_t, std::int64_t> chosen;
  std::map<std::int64_t, std::int64_t> forward;
  for (std::int64_t pair = 0; pair < pairs.count(); ++pair) {
    const RecordId& id = pairs.a(pair).id;
    if (id.role != Role::loss || id.rank != 0 || !pairs.is_compared(pair)) continue;
    if (is_reported(id)) {
      chosen.emplace(id.step, pair);
    } else if (!forward.emplace(id.step, pair).second) {
      forward[id.step] = -1;
    }
  }
  for (const auto& [step, pair] : forward) {
    if (pair >= 0) chosen.emplace(step, pair);
  }
  return chosen;
}

// Losses without a partner: one run is longer than the other.
void add_alone(const TraceView& trace, std::optional<double> LossPoint::*side,
               std::map<std::int64_t, LossPoint>& points) {
  for (std::size_t row = 0; row < trace.records.size(); ++row) {
    const RecordId& id = trace.records[row].id;
    if (id.role != Role::loss || !is_reported(id) || id.rank != 0) continue;
    LossPoint& point = points.try_emplace(id.step).first->second;
    if (!(point.*side)) point.*side = number_of(trace, static_cast<std::int64_t>(row));
  }
}

std::optional<RecordId> inside(std::int64_t step, const JudgedPairs& pairs, std::span<const Divergence> roots,
                               std::span<const std::int64_t> mismatched) {
  const auto root = std::ranges::find_if(roots, [&](const Divergence& each) { return each.pair.id.step == step; });
  if (root != roots.end()) return root->pair.id;
  const auto pair = std::ranges::find_if(mismatched, [&](std::int64_t each) { return pairs.a(each).id.step == step; });
  return pair == mismatched.end() ? std::nullopt : std::optional(pairs.a(*pair).id);
}

}  // namespace

LossCurve loss_curve(const TraceView& a, const TraceView& b, const JudgedPairs& pairs,
                     std::span<const Divergence> roots, std::span<const std::int64_t> mismatched) {
  std::map<std::int64_t, LossPoint> points;
  for (const auto& [step, pair] : pairs_of_steps(pairs)) {
    const RecordPair& rows = pairs.alignment().pairs[static_cast<std::size_t>(pair)];
    LossPoint& point = points[step];
    point.a = number_of(a, rows.a);
    point.b = number_of(b, rows.b);
    point.within = pairs.states()[static_cast<std::size_t>(pair)] != PairState::differs;
  }
  add_alone(a, &LossPoint::a, points);
  add_alone(b, &LossPoint::b, points);
  LossCurve curve;
  for (auto& [step, point] : points) {
    point.step = step;
    if (!point.within && !curve.first_outside) {
      curve.first_outside = step;
      curve.inside = inside(step, pairs, roots, mismatched);
    }
    if (point.a || point.b) curve.points.push_back(point);
  }
  return curve;
}

}  // namespace goldentrace
