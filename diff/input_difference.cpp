#include "diff/input_difference.h"

#include <algorithm>
#include <set>
#include <span>

#include "diff/number.h"
#include "diff/token_difference.h"

namespace goldentrace {

namespace {

std::set<std::string> declared_inputs(std::span<const Record> records) {
  std::set<std::string> names;
  for (const Record& record : records) {
    if (record.declared) names.insert(record.id.index);
  }
  return names;
}

std::string listed(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// Two programs that name no input alike were fed different things, whatever their labels have in common.
std::optional<std::string> names_difference(const TraceView& a, const TraceView& b) {
  const std::set<std::string> of_a = declared_inputs(a.records);
  const std::set<std::string> of_b = declared_inputs(b.records);
  const bool common = std::ranges::any_of(of_a, [&](const std::string& name) { return of_b.contains(name); });
  if (of_a.empty() || of_b.empty() || common) return std::nullopt;
  return "inputs differ: A declares " + listed(of_a) + ", B declares " + listed(of_b);
}

std::string text_of(const TraceView& a, const TraceView& b, const JudgedPairs& pairs, const InputDifference& found) {
  const Record& record = pairs.a(found.pair);
  const Judgement& judgement = found.judgement;
  const std::string who = record.declared ? record.id.index + " (" + describe(record.id) + ")" : describe(record.id);
  const auto token = token_difference(a, b, pairs.alignment().pairs[static_cast<std::size_t>(found.pair)], judgement);
  const std::int64_t first = judgement.comparison.first_outside;
  const std::int64_t place = token && token->place >= 0 ? token->place : first >= 0 ? first : judgement.place;
  const std::string where = place < 0 ? ": " : " at " + show_list(coordinates(place, record.shape)) + ", ";
  return who + where + (token ? token->text + "; " : "") + judgement.text;
}

}  // namespace

std::optional<std::string> input_difference(const TraceView& a, const TraceView& b, const JudgedPairs& pairs) {
  if (auto names = names_difference(a, b)) return names;
  const std::optional<InputDifference> found = pairs.differing_input();
  if (!found) return std::nullopt;
  const bool known = found->judgement.finding != Finding::undecidable;
  return (known ? "inputs differ: " : "cannot judge ") + text_of(a, b, pairs, *found);
}

}  // namespace goldentrace
