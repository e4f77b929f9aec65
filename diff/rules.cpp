#include "diff/rules.h"

#include <algorithm>

#include "traces/error.h"
#include "traces/glob.h"

namespace goldentrace {

namespace {

template <typename Value>
bool holds(const std::vector<Value>& values, Value value) {
  return values.empty() || std::ranges::find(values, value) != values.end();
}

// The limit that the gate does not read, and the gate that would; empty names: all are read.
struct UnreadLimit {
  std::string limit, gate;
};

UnreadLimit unread_limit(const Rule& rule, GateKind kind) {
  if (rule.rel && kind != GateKind::rel) return {"rel", "rel"};
  if (kind == GateKind::allclose) return {};
  if (rule.rtol) return {"rtol", "allclose"};
  return rule.atol ? UnreadLimit{"atol", "allclose"} : UnreadLimit{};
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

void refuse_unread_limits(const Rules& rules, GateKind of_command_line) {
  for (const Rule& rule : rules.rules) {
    const UnreadLimit unread = unread_limit(rule, rule.kind.value_or(of_command_line));
    if (unread.limit.empty()) continue;
    throw Error(ErrorCode::usage,
                "line " + std::to_string(rule.line) + ": '" + unread.limit + "' belongs to gate = \"" + unread.gate +
                    "\", and the gate of this rule is another; add that line to the rule or run with --gate " +
                    unread.gate,
                {rules.path.string(), ""});
  }
}

}  // namespace goldentrace
