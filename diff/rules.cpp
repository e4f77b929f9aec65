#include "diff/rules.h"

#include <algorithm>

#include "traces/glob.h"

namespace goldentrace {

namespace {

template <typename Value>
bool holds(const std::vector<Value>& values, Value value) {
  return values.empty() || std::ranges::find(values, value) != values.end();
}

}  // namespace

bool Rule::matches(const RecordId& id) const {
  const auto fits = [&id](const std::string& glob) { return glob_match(glob, id.layer); };
  return (layers.empty() || std::ranges::any_of(layers, fits)) && holds(roles, id.role) && holds(passes, id.pass);
}

Gate Rule::apply(Gate base) const {
  if (kind) base.kind = *kind;
  if (rtol) base.rtol = rtol;
  if (atol) base.atol = atol;
  if (rel) base.rel = rel;
  if (nan) base.nan = *nan;
  return base;
}

const Rule* Rules::find(const RecordId& id) const {
  const auto found = std::find_if(rules.rbegin(), rules.rend(), [&id](const Rule& rule) { return rule.matches(id); });
  return found == rules.rend() ? nullptr : &*found;
}

}  // namespace goldentrace
