#include "diff/notes.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "diff/number.h"
#include "diff/relation/shard.h"
#include "diff/rules.h"

namespace goldentrace {

std::vector<HeaderDifference> diff_headers(const TraceView& a, const TraceView& b) {
  std::map<std::string, HeaderDifference> all;
  if (a.header) {
    for (const auto& [name, value] : *a.header) all[name].a = value;
  }
  if (b.header) {
    for (const auto& [name, value] : *b.header) all[name].b = value;
  }
  std::vector<HeaderDifference> differences;
  for (auto& [name, each] : all) {
    if (each.a != each.b) differences.push_back({name, std::move(each.a), std::move(each.b)});
  }
  return differences;
}

std::vector<std::string> file_notes(const TraceView& a, const TraceView& b) {
  std::error_code error;
  const bool same = !a.path.empty() && std::filesystem::equivalent(a.path, b.path, error);
  return same && !error ? std::vector<std::string>{"A and B are the same file"} : std::vector<std::string>{};
}

std::vector<std::string> rank_notes(const TraceView& a, const TraceView& b) {
  std::vector<std::string> notes;
  for (const auto& [side, name] : {std::pair(&a, "A"), std::pair(&b, "B")}) {
    if (side->header == nullptr || !side->header->contains("rank") || header_count(side->header, "ranks") < 2) continue;
    notes.push_back(std::string(name) + " is rank " + side->header->at("rank") + " of " + side->header->at("ranks") +
                    " alone");
  }
  return notes;
}

std::vector<std::string> dtype_notes(const TraceView& a, const TraceView& b, std::span<const RecordPair> pairs) {
  std::map<std::pair<DType, DType>, std::int64_t> kinds;
  for (const RecordPair& pair : pairs) {
    const DType of_a = a.records[static_cast<std::size_t>(pair.a)].dtype;
    const DType of_b = b.records[static_cast<std::size_t>(pair.b)].dtype;
    if (of_a != of_b) ++kinds[{of_a, of_b}];
  }
  std::vector<std::string> notes;
  for (const auto& [kind, count] : kinds) {
    notes.push_back(counted(count, "record") + ": " + std::string(name(kind.first)) + " against " +
                    std::string(name(kind.second)));
  }
  return notes;
}

std::vector<std::string> position_notes(const PositionChoice& positions) {
  std::vector<std::string> notes;
  if (positions.sample) {
    notes.push_back("sample " + std::to_string(positions.sample->first) + " of A against sample " +
                    std::to_string(positions.sample->second) + " of B");
  }
  if (!positions.mask.empty()) notes.push_back("mask " + positions.name + ": " + positions.text() + " compared");
  return notes;
}

std::vector<std::string> rule_notes(const Rules& rules, const TraceView& a) {
  std::vector<std::string> notes;
  for (const Rule& rule : rules.rules) {
    const bool used = std::ranges::any_of(a.records, [&rule](const Record& record) { return rule.matches(record.id); });
    if (!used) {
      notes.push_back("rule at " + rules.path.string() + " line " + std::to_string(rule.line) +
                      " speaks of no record of A");
    }
  }
  return notes;
}

}  // namespace goldentrace
