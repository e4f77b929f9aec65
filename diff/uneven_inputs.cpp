#include "diff/uneven_inputs.h"

#include <algorithm>
#include <functional>

namespace goldentrace {

namespace {

constexpr std::size_t most_uneven_inputs = 256;  // more of them meet by position

std::set<std::string_view> layers_in(std::span<const Record> records) {
  std::set<std::string_view> layers;
  for (const Record& record : records) layers.insert(record.id.layer);
  return layers;
}

// Pairs that leave no choice leave the two lists.
void pair_where(const std::function<bool(const RecordPair&)>& same, std::vector<std::int64_t>& rows_a,
                std::vector<std::int64_t>& rows_b, std::vector<RecordPair>& pairs) {
  std::vector<RecordPair> found;
  for (const std::int64_t row : rows_a) {
    const auto meets = [&](std::int64_t other) { return same({row, other}); };
    const auto first = std::ranges::find_if(rows_b, meets);
    if (first == rows_b.end() || std::ranges::count_if(rows_b, meets) > 1) continue;
    if (std::ranges::count_if(rows_a, [&](std::int64_t other) { return same({other, *first}); }) > 1) continue;
    found.push_back({row, *first});
  }
  for (const RecordPair& pair : found) {
    std::erase(rows_a, pair.a);
    std::erase(rows_b, pair.b);
    pairs.push_back(pair);
  }
}

void set_aside(std::span<const Record> records, const std::set<std::string_view>& others,
               std::vector<std::int64_t>& rows, std::vector<std::int64_t>& unpaired) {
  const auto is_foreign = [&](std::int64_t producer) {
    const bool is_there = producer >= 0 && producer < static_cast<std::int64_t>(records.size());
    return is_there && !others.contains(records[static_cast<std::size_t>(producer)].id.layer);
  };
  std::erase_if(rows, [&](std::int64_t row) {
    const auto& producers = records[static_cast<std::size_t>(row)].producers;
    const bool foreign = !producers.empty() && std::ranges::all_of(producers, is_foreign);
    if (foreign) unpaired.push_back(row);
    return foreign;
  });
}

}  // namespace

UnevenInputs::UnevenInputs(std::span<const Record> a, std::span<const Record> b, std::span<const RecordPair> known)
    : a_(a), b_(b), partners_(a.size(), -1), layers_a_(layers_in(a)), layers_b_(layers_in(b)) {
  for (const RecordPair& pair : known) partners_[static_cast<std::size_t>(pair.a)] = pair.b;
}

bool UnevenInputs::has_same_content(const RecordPair& rows) const {
  const Record& a = a_[static_cast<std::size_t>(rows.a)];
  const Record& b = b_[static_cast<std::size_t>(rows.b)];
  return a.fingerprint.hash == b.fingerprint.hash && a.dtype == b.dtype && a.shape == b.shape;
}

bool UnevenInputs::has_same_source(const RecordPair& rows) const {
  std::set<std::int64_t> of_a;
  for (const std::int64_t producer : a_[static_cast<std::size_t>(rows.a)].producers) {
    const bool is_there = producer >= 0 && producer < static_cast<std::int64_t>(a_.size());
    of_a.insert(is_there ? partners_[static_cast<std::size_t>(producer)] : -1);
  }
  const auto& of_b = b_[static_cast<std::size_t>(rows.b)].producers;
  return !of_a.empty() && !of_a.contains(-1) && of_a == std::set<std::int64_t>(of_b.begin(), of_b.end());
}

void UnevenInputs::pair_by_position(std::span<const std::int64_t> rows_a, std::span<const std::int64_t> rows_b,
                                    InputPairing& result) const {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < rows_a.size() && j < rows_b.size()) {
    const std::int32_t position_a = a_[static_cast<std::size_t>(rows_a[i])].position;
    const std::int32_t position_b = b_[static_cast<std::size_t>(rows_b[j])].position;
    if (position_a == position_b) {
      result.pairs.push_back({rows_a[i++], rows_b[j++]});
    } else if (position_a < position_b) {
      result.missing.push_back(rows_a[i++]);
    } else {
      result.extra.push_back(rows_b[j++]);
    }
  }
  result.missing.insert(result.missing.end(), rows_a.begin() + static_cast<std::ptrdiff_t>(i), rows_a.end());
  result.extra.insert(result.extra.end(), rows_b.begin() + static_cast<std::ptrdiff_t>(j), rows_b.end());
}

InputPairing UnevenInputs::match(std::vector<std::int64_t> rows_a, std::vector<std::int64_t> rows_b) const {
  InputPairing result;
  if (std::max(rows_a.size(), rows_b.size()) <= most_uneven_inputs) {
    pair_where([this](const RecordPair& rows) { return has_same_content(rows); }, rows_a, rows_b, result.pairs);
    pair_where([this](const RecordPair& rows) { return has_same_source(rows); }, rows_a, rows_b, result.pairs);
    set_aside(a_, layers_b_, rows_a, result.missing);
    set_aside(b_, layers_a_, rows_b, result.extra);
  }
  pair_by_position(rows_a, rows_b, result);
  return result;
}

}  // namespace goldentrace
