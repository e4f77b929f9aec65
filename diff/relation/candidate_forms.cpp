#include "diff/relation/candidate_forms.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace goldentrace {

namespace {

constexpr std::int64_t most_heads = 1024;

void add_heads(const TraceView& trace, std::set<std::int64_t>& heads) {
  if (!trace.header) return;
  for (const auto& [name, value] : *trace.header) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    const bool whole = error == std::errc{} && end == value.data() + value.size();
    if (whole && name.find("head") != std::string::npos && number > 0 && number <= most_heads) heads.insert(number);
  }
}

std::string axis_text(std::size_t axis) { return std::to_string(axis); }

// An axis taken as three, with the first two or all of them in another order.
std::string regroup(std::size_t axis, const std::string& sizes, const std::vector<std::size_t>& order,
                    std::size_t axes) {
  std::string permute;
  for (std::size_t i = 0; i < axes + 2; ++i) {
    const std::size_t from = i < axis || i >= axis + 3 ? i : axis + order[i - axis];
    permute += (permute.empty() ? "" : ", ") + axis_text(from);
  }
  return "split(" + axis_text(axis) + ", " + sizes + ") | permute(" + permute + ") | merge(" + axis_text(axis) + ", 3)";
}

std::vector<CandidateForm> regroupings(const Shape& shape, std::size_t axis, const std::vector<std::int64_t>& heads) {
  std::vector<CandidateForm> forms;
  const std::int64_t size = shape[axis];
  const auto add = [&](const std::string& sizes, const std::vector<std::size_t>& order, const std::string& words) {
    forms.push_back({regroup(axis, sizes, order, shape.size()), words});
  };
  for (const std::int64_t n : heads) {
    if (size % (3 * n) != 0) continue;
    const std::string count = std::to_string(n);
    const std::string what = "rows of query, key and value for " + count + " heads: ";
    add(count + ", 3, -1", {1, 0, 2}, what + "(n, 3, d) in A, (3, n, d) in B");
    add("3, " + count + ", -1", {1, 0, 2}, what + "(3, n, d) in A, (n, 3, d) in B");
    add(count + ", -1, 3", {2, 0, 1}, what + "(n, d, 3) in A, (3, n, d) in B");
    add("3, " + count + ", -1", {1, 2, 0}, what + "(3, n, d) in A, (n, d, 3) in B");
    add(count + ", 3, -1", {0, 2, 1}, what + "(n, 3, d) in A, (n, d, 3) in B");
    add(count + ", -1, 3", {0, 2, 1}, what + "(n, d, 3) in A, (n, 3, d) in B");
  }
  for (const std::int64_t shards : {2, 4, 8}) {
    if (size % (2 * shards) != 0) continue;
    const std::string count = std::to_string(shards);
    add(count + ", 2, -1", {1, 0, 2}, "halves of a gated projection: by " + count + " shards in A, whole in B");
    if (shards > 2)
      add("2, " + count + ", -1", {1, 0, 2}, "halves of a gated projection: whole in A, by " + count + " shards in B");
  }
  return forms;
}

}  // namespace

std::vector<std::int64_t> head_counts(const TraceView& a, const TraceView& b) {
  std::set<std::int64_t> heads;
  add_heads(a, heads);
  add_heads(b, heads);
  if (heads.empty()) heads = {1, 2, 4, 8, 12, 16, 32, 64};
  return {heads.begin(), heads.end()};
}

std::vector<CandidateForm> weight_forms(const Shape& shape, const std::vector<std::int64_t>& heads) {
  const CandidateForm same{"identity", "equal"};
  if (shape.empty() || shape.size() > 2) return {same};
  std::vector<CandidateForm> forms{same};
  if (shape.size() == 2) forms.push_back({"transpose(0, 1)", "transposed"});
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    for (const CandidateForm& each : regroupings(shape, axis, heads)) {
      forms.push_back(each);
      if (shape.size() == 2) forms.push_back({each.form + " | transpose(0, 1)", each.words + ", and transposed"});
    }
  }
  return forms;
}

std::vector<std::string> activation_forms(const Shape& shape, const std::vector<std::int64_t>& heads) {
  std::vector<std::string> forms{"identity"};
  if (shape.size() < 2) return forms;
  forms.emplace_back("transpose(0, 1)");
  for (const std::int64_t n : heads) {
    const std::string count = std::to_string(n);
    if (shape.size() == 3 && shape[2] % (3 * n) == 0) {
      for (const CandidateForm& each : regroupings(shape, 2, {n})) {
        forms.push_back(each.form);
        forms.push_back("transpose(0, 1) | " + each.form);
      }
    }
    if (shape.size() == 3 && shape[1] % n == 0) forms.push_back("split(1, -1, " + count + ") | permute(1, 2, 0, 3)");
    if (shape.size() == 4 && shape[1] == n) forms.push_back("permute(2, 0, 1, 3) | merge(1, 2)");
  }
  return forms;
}

}  // namespace goldentrace
