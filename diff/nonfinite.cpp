#include "diff/nonfinite.h"

#include <cmath>

#include "diff/number.h"

namespace goldentrace {

namespace {

std::int64_t find_nonfinite(const TensorView& tensor, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    if (!std::isfinite(element_as_double(tensor, i))) return i;
  }
  return -1;
}

}  // namespace

std::optional<NonFinite> first_nonfinite(const TraceView& trace) {
  for (std::size_t row = 0; row < trace.records.size(); ++row) {
    const Record& record = trace.records[row];
    const Statistics& statistics = record.fingerprint.statistics;
    if (statistics.nan_count + statistics.inf_count == 0) continue;
    NonFinite found{record.id, statistics.nan_count > 0 ? "NaN" : "Infinity", -1, record.shape};
    const auto number = static_cast<std::int64_t>(row);
    if (!trace.has_payload(number)) return found;
    const std::vector<std::byte> bytes = trace.payload(number);
    const TensorView tensor{record.dtype, record.shape, bytes};
    found.flat_index = find_nonfinite(tensor, element_count(record.shape));
    if (found.flat_index >= 0) found.value = json_word(element_as_double(tensor, found.flat_index));
    return found;
  }
  return std::nullopt;
}

}  // namespace goldentrace
