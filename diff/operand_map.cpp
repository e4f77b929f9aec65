#include "diff/operand_map.h"

namespace goldentrace {

namespace {

std::string external_name(const TapeValue& value) {
  const std::string role(name(value.role));
  if (value.role != Role::input && !value.index.empty()) return role + " " + value.index;
  return role + " #" + std::to_string(value.position);
}

const std::string& lookup(const std::vector<std::string>& names, ValueIndex index) {
  static const std::string unknown;
  return index < 0 || static_cast<std::size_t>(index) >= names.size() ? unknown
                                                                      : names[static_cast<std::size_t>(index)];
}

}  // namespace

OperandMap::OperandMap(const Tape& a, const Tape& b, std::span<const OpPair> pairs)
    : a_(externals(a)), b_(externals(b)) {
  for (std::size_t number = 0; number < pairs.size(); ++number) {
    const OpPair& pair = pairs[number];
    if (pair.a < 0 || pair.b < 0) continue;
    const std::string op = "op " + std::to_string(number);
    int slot = 0;
    name_results(a.ops[static_cast<std::size_t>(pair.a)].results, op, a_, slot);
    slot = 0;
    name_results(b.ops[static_cast<std::size_t>(pair.b)].results, op, b_, slot);
  }
  name_aliases(a, a_);
  name_aliases(b, b_);
}

OperandMap::Names OperandMap::externals(const Tape& tape) {
  Names names(tape.values.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (tape.values[i].source == ValueSource::external) names[i] = external_name(tape.values[i]);
  }
  return names;
}

// In-place ops return a value that already has a name; it keeps that one.
void OperandMap::name_results(const std::vector<Argument>& results, const std::string& op, Names& names, int& slot) {
  for (const Argument& result : results) {
    if (result.kind == ArgumentKind::list) name_results(result.items, op, names, slot);
    if (result.kind != ArgumentKind::tensor) continue;
    ++slot;
    const auto index = static_cast<std::size_t>(result.value);
    if (result.value < 0 || index >= names.size() || !names[index].empty()) continue;
    names[index] = op + "." + std::to_string(slot);
  }
}

void OperandMap::name_aliases(const Tape& tape, Names& names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (tape.values[i].source != ValueSource::alias) continue;
    const std::string& base = lookup(names, tape.values[i].base);
    if (!base.empty()) names[i] = "alias of " + base;
  }
}

bool OperandMap::same(ValueIndex a, ValueIndex b) const {
  if (a < 0 || b < 0) return (a < 0) == (b < 0);
  const std::string& name_a = lookup(a_, a);
  const std::string& name_b = lookup(b_, b);
  return name_a.empty() || name_b.empty() || name_a == name_b;
}

}  // namespace goldentrace
