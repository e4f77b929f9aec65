#include "diff/weight_hints.h"

#include <string>
#include <string_view>

#include "diff/relation/logical_view.h"
#include "diff/relation/weight_match.h"

namespace goldentrace {

namespace {

// As it was recorded, whatever a relation makes of it.
const Record& recorded_weight(const TraceView& trace, std::int64_t row) {
  return trace.logical ? trace.logical->recorded(row) : trace.records[static_cast<std::size_t>(row)];
}

bool can_be_told(const Record& record) {
  const Statistics& statistics = record.fingerprint.statistics;
  return record.id.role == Role::param && element_count(record.shape) > 1 && statistics.min < statistics.max;
}

bool ends_with_name(std::string_view name, std::string_view part) {
  return name == part || (name.ends_with(part) && name[name.size() - part.size() - 1] == '.');
}

bool encloses(std::string_view outer, std::string_view inner) {
  return inner.size() > outer.size() && inner.starts_with(outer) && inner[outer.size()] == '.';
}

// One parameter under the names that it has in nested labels, and in other labels of its block that know it by its
// whole name. The same one in labels further apart is tied.
bool is_same_parameter(const RecordId& a, const RecordId& b) {
  const bool nested = a.layer == b.layer || encloses(a.layer, b.layer) || encloses(b.layer, a.layer);
  if (!nested && (block_of(a.layer).empty() || block_of(a.layer) != block_of(b.layer))) return false;
  const std::string whole_a = a.layer + "." + a.index;
  const std::string whole_b = b.layer + "." + b.index;
  if (whole_a == whole_b || ends_with_name(a.index, whole_b) || ends_with_name(b.index, whole_a)) return true;
  // A label may know its parameter by a name that does not begin with its own.
  return nested && (ends_with_name(a.index, b.index) || ends_with_name(b.index, a.index));
}

// The first parameter of the trace with this content that is not `own`, in the innermost of its labels; -1: none.
std::int64_t find_content(const TraceView& trace, const Record& content, const RecordId& own) {
  std::int64_t found = -1;
  for (std::size_t row = 0; row < trace.records.size(); ++row) {
    if (trace.records[row].id.role != Role::param) continue;
    const auto number = static_cast<std::int64_t>(row);
    const Record& record = recorded_weight(trace, number);
    const bool equal = record.fingerprint.hash == content.fingerprint.hash && record.shape == content.shape &&
                       record.dtype == content.dtype;
    if (!equal || is_same_parameter(record.id, own)) continue;
    if (found < 0 || encloses(recorded_weight(trace, found).id.layer, record.id.layer)) found = number;
  }
  return found;
}

std::string weight_name(const TraceView& trace, std::int64_t row) {
  const RecordId& id = trace.records[static_cast<std::size_t>(row)].id;
  return id.layer + " " + id.index;
}

std::string tie_text(const TraceView& trace, std::int64_t row, const std::string& side) {
  const Record& own = recorded_weight(trace, row);
  const std::int64_t other = find_content(trace, own, own.id);
  if (other < 0) return "";
  return side + "'s " + weight_name(trace, row) + " equals " + side + "'s " + weight_name(trace, other);
}

}  // namespace

std::vector<Diagnosis> weight_hints(const TraceView& a, const TraceView& b, const RecordPair& rows) {
  const Record& of_a = recorded_weight(a, rows.a);
  const Record& of_b = recorded_weight(b, rows.b);
  if (!can_be_told(of_a) || !can_be_told(of_b)) return {};
  const std::string tie_a = tie_text(a, rows.a, "A");
  const std::string tie_b = tie_text(b, rows.b, "B");
  if (tie_a.empty() != tie_b.empty()) return {{"tied", tie_a.empty() ? tie_b : tie_a, false, std::nullopt}};
  const std::int64_t moved = find_content(a, of_b, of_a.id);
  if (moved < 0) return {};
  return {{"moved", "B holds A's " + weight_name(a, moved), false, std::nullopt}};
}

}  // namespace goldentrace
