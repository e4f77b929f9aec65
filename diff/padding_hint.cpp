#include "diff/padding_hint.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include "traces/elements.h"

namespace goldentrace {

namespace {

struct PaddingMask {
  std::int64_t batch = 0, positions = 0;
  std::vector<double> values;

  bool is_padding(std::int64_t sample, std::int64_t position) const {
    return values[static_cast<std::size_t>(sample * positions + position)] == 0;
  }
};

std::optional<PaddingMask> mask_of(const TraceView& trace, const RecordId& near) {
  for (std::size_t row = 0; row < trace.records.size(); ++row) {
    const Record& record = trace.records[row];
    const RecordId& id = record.id;
    const bool wanted = record.declared && id.index == "mask" && id.step == near.step && id.micro == near.micro;
    if (!wanted || record.shape.size() != 2 || !trace.has_payload(static_cast<std::int64_t>(row))) continue;
    return PaddingMask{record.shape[0], record.shape[1],
                       to_numbers(trace.payload(static_cast<std::int64_t>(row)), record.dtype)};
  }
  return std::nullopt;
}

// By sample, its differing positions; nothing when one of them is no padding.
using Places = std::map<std::int64_t, std::vector<std::int64_t>>;

std::optional<Places> padded_places(const PaddingMask& mask, bool batch_first, const TensorView& a,
                                    const TensorView& b) {
  const std::size_t size = a.bytes.size() / static_cast<std::size_t>(mask.batch * mask.positions);
  Places places;
  for (std::int64_t slice = 0; slice < mask.batch * mask.positions; ++slice) {
    const auto start = static_cast<std::size_t>(slice) * size;
    if (std::memcmp(a.bytes.data() + start, b.bytes.data() + start, size) == 0) continue;
    const std::int64_t sample = batch_first ? slice / mask.positions : slice % mask.batch;
    const std::int64_t position = batch_first ? slice % mask.positions : slice / mask.batch;
    if (!mask.is_padding(sample, position)) return std::nullopt;
    places[sample].push_back(position);
  }
  return places;
}

std::string text_of(const Places& places) {
  std::string text;
  for (const auto& [sample, positions] : places) {
    std::string list;
    for (const std::int64_t position : positions) list += (list.empty() ? "" : ", ") + std::to_string(position);
    text += (text.empty() ? "only " : "; ") + std::string(positions.size() == 1 ? "position " : "positions ") + list +
            " of sample " + std::to_string(sample);
  }
  return text + ": padding";
}

}  // namespace

std::optional<std::string> padding_hint(const TraceView& a, std::int64_t row, const TensorView& view_a,
                                        const TensorView& view_b) {
  if (view_a.shape.size() < 2 || view_a.bytes.empty() || view_a.bytes.size() != view_b.bytes.size())
    return std::nullopt;
  const std::optional<PaddingMask> mask = mask_of(a, a.records[static_cast<std::size_t>(row)].id);
  if (!mask) return std::nullopt;
  for (const bool batch_first : {true, false}) {
    const std::int64_t first = batch_first ? mask->batch : mask->positions;
    const std::int64_t second = batch_first ? mask->positions : mask->batch;
    if (view_a.shape[0] != first || view_a.shape[1] != second) continue;
    const std::optional<Places> places = padded_places(*mask, batch_first, view_a, view_b);
    if (places && !places->empty()) return text_of(*places);
  }
  return std::nullopt;
}

}  // namespace goldentrace
