#include "diff/root_hints.h"

#include <algorithm>
#include <iterator>

#include "diff/code_hints.h"
#include "diff/hints.h"
#include "diff/padding_hint.h"
#include "diff/relation/candidate_forms.h"
#include "diff/relation/weight_match.h"
#include "diff/row_order.h"
#include "diff/weight_hints.h"
#include "diff/whole_sketch.h"

namespace goldentrace {

namespace {

std::vector<std::byte> elements_of(const TraceView& trace, std::int64_t row) {
  if (trace.has_payload(row)) return trace.payload(row);
  const Record& record = trace.records[static_cast<std::size_t>(row)];
  const Sketch sketch = trace.sketch(row);
  return is_whole(record, sketch) ? restore(record, sketch) : std::vector<std::byte>{};
}

std::vector<Diagnosis> value_hints(const TraceView& a, const TraceView& b, const RecordPair& rows,
                                   const Divergence& root) {
  if (root.pair.judgement.estimated) return hints_from_sketches(a.sketch(rows.a), b.sketch(rows.b));
  if (!root.pair.judgement.measured) return {};
  const std::vector<std::byte> bytes_a = elements_of(a, rows.a);
  const std::vector<std::byte> bytes_b = elements_of(b, rows.b);
  if (bytes_a.empty() || bytes_b.empty()) return {};
  const TensorView view_a{root.pair.dtype_a, root.pair.shape_a, bytes_a};
  const TensorView view_b{root.pair.dtype_b, root.pair.shape_b, bytes_b};
  std::vector<Diagnosis> result = hints(view_a, view_b, root.pair.judgement);
  const auto permutation = std::ranges::find(result, "permutation", &Diagnosis::kind);
  if (permutation != result.end()) {
    if (auto order = row_order(view_a, view_b, root.pair.id.layer)) {
      *permutation = {"row-order", std::move(*order), false, std::nullopt};
    }
  }
  if (auto padding = padding_hint(a, rows.a, view_a, view_b)) {
    // The recorded mask knows what the places alone only suggest.
    std::erase_if(result, [](const Diagnosis& each) { return each.kind == "padding" || each.kind == "mask"; });
    result.push_back({"padding", std::move(*padding), false, std::nullopt});
  }
  return result;
}

void add_code_hints(const TraceView& a, const TraceView& b, const RecordPair& rows, const LayerCode& code,
                    const Divergence& root, std::vector<Diagnosis>& result) {
  if (root.pair.id.role != Role::output) return;
  const LayerCode::Calls calls =
      code.calls_of(a.records[static_cast<std::size_t>(rows.a)], b.records[static_cast<std::size_t>(rows.b)]);
  if (!calls.have_tapes()) return;
  const Tape tape_a = a.tape(calls.a->tape);
  const std::vector<Diagnosis> found = code_hints(tape_a, b.tape(calls.b->tape), root);
  result.insert(result.end(), found.begin(), found.end());
  if (!a.header || !b.header) return;
  const std::vector<Diagnosis> settings = precision_hints(*a.header, *b.header, tape_a);
  result.insert(result.end(), settings.begin(), settings.end());
}

// Where no op says which epsilon a norm has, and where groups of queries make the weights of two shapes unequal.
void add_setting_hints(const Header& a, const Header& b, const PairReport& pair, std::vector<Diagnosis>& result) {
  const bool known = std::ranges::find(result, "epsilon", &Diagnosis::kind) != result.end();
  if (auto epsilon = epsilon_hint(a, b, pair.id); epsilon && !known) result.push_back(std::move(*epsilon));
  if (auto vocabulary = vocabulary_hint(a, b, pair.id)) result.push_back(std::move(*vocabulary));
  if (auto heads = head_count_hint(a, b, pair)) result.push_back(std::move(*heads));
  if (auto groups = query_group_hint(a, b, pair)) result.push_back(std::move(*groups));
}

// A row order that has a name says what a layout says.
bool names_an_order(const std::vector<Diagnosis>& hints) {
  return std::ranges::any_of(hints, [](const Diagnosis& each) {
    return each.kind == "row-order" && each.text.find(": ") != std::string::npos;
  });
}

// A weight that is the other one in another layout, element for element.
void add_layout(const TraceView& a, const TraceView& b, const RecordPair& rows, std::vector<Diagnosis>& result) {
  if (names_an_order(result)) return;
  const Record& of_a = a.records[static_cast<std::size_t>(rows.a)];
  const bool weight = of_a.id.role == Role::param || of_a.id.role == Role::param_grad;
  if (!weight || element_count(of_a.shape) < 2 || !a.has_payload(rows.a) || !b.has_payload(rows.b)) return;
  for (const CandidateForm& each : weight_forms(of_a.shape, head_counts(a, b))) {
    if (form_error(a, rows.a, b, rows.b, each.form) != 0) continue;
    std::erase_if(result, [](const Diagnosis& hint) { return hint.kind == "permutation" || hint.kind == "row-order"; });
    const bool transposed = each.form == "transpose(0, 1)";
    result.push_back(
        {"layout",
         transposed ? "B matches A if the weight is transposed" : "the same values in another layout: " + each.words,
         false, std::nullopt});
    return;
  }
}

}  // namespace

std::vector<Diagnosis> root_hints(const TraceView& a, const TraceView& b, const RecordPair& rows, const LayerCode& code,
                                  const Divergence& root) {
  std::vector<Diagnosis> result = value_hints(a, b, rows, root);
  add_layout(a, b, rows, result);
  add_code_hints(a, b, rows, code, root, result);
  if (a.header && b.header) add_setting_hints(*a.header, *b.header, root.pair, result);
  std::ranges::move(weight_hints(a, b, rows), std::back_inserter(result));
  return result;
}

}  // namespace goldentrace
