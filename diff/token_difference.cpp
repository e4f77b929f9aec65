#include "diff/token_difference.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "traces/elements.h"
#include "traces/printable.h"

namespace goldentrace {

namespace {

using TokenIds = std::vector<std::int64_t>;

const Record& ids_of(const TraceView& trace, std::int64_t row) { return trace.records[static_cast<std::size_t>(row)]; }

std::string_view header_text(const TraceView& trace, const char* name) {
  if (!trace.header) return {};
  const auto found = trace.header->find(name);
  return found == trace.header->end() ? std::string_view{} : std::string_view(found->second);
}

// Numbers between spaces, as far as they are numbers.
TokenIds stream_of(const TraceView& trace) {
  TokenIds ids;
  const std::string_view text = header_text(trace, "data.ids");
  for (const char* at = text.data(); at < text.data() + text.size();) {
    std::int64_t id = 0;
    const auto [end, error] = std::from_chars(at, text.data() + text.size(), id);
    if (error != std::errc{}) break;
    ids.push_back(id);
    at = end + 1;
  }
  return ids;
}

std::string piece_of(const TraceView& trace, std::int64_t id) {
  const auto pieces = nlohmann::json::parse(header_text(trace, "data.pieces"), nullptr, false);
  if (!pieces.is_array()) return "";
  const TokenIds ids = stream_of(trace);
  const auto place = static_cast<std::size_t>(std::ranges::find(ids, id) - ids.begin());
  if (place >= ids.size() || place >= pieces.size() || !pieces[place].is_string()) return "";
  return " '" + printable(pieces[place].get<std::string>()) + "'";
}

std::string token_text(const TraceView& a, std::int64_t id_a, const TraceView& b, std::int64_t id_b) {
  return "id " + std::to_string(id_a) + piece_of(a, id_a) + " | " + std::to_string(id_b) + piece_of(b, id_b);
}

// The ids of one record: its payload, else its part of the stream, which steps go through in a circle.
TokenIds tokens_of(const TraceView& trace, std::int64_t row) {
  const Record& record = ids_of(trace, row);
  if (trace.has_payload(row)) {
    const std::vector<double> values = to_numbers(trace.payload(row), record.dtype);
    return TokenIds(values.begin(), values.end());
  }
  const TokenIds stream = stream_of(trace);
  const std::int64_t count = element_count(record.shape);
  const std::int64_t batches = count > 0 ? static_cast<std::int64_t>(stream.size()) / count : 0;
  if (batches == 0) return {};
  const auto first = stream.begin() + record.id.step % batches * count;
  return TokenIds(first, first + count);
}

}  // namespace

std::optional<TokenDifference> token_difference(const TraceView& a, const TraceView& b, const RecordPair& rows,
                                                const Judgement& judgement) {
  const bool ids = ids_of(a, rows.a).declared && ids_of(a, rows.a).id.index == "ids";
  if (!ids || judgement.finding == Finding::dtype) return std::nullopt;
  const bool same_shape = judgement.finding != Finding::shape;
  const TokenIds of_a = same_shape ? tokens_of(a, rows.a) : stream_of(a);
  const TokenIds of_b = same_shape ? tokens_of(b, rows.b) : stream_of(b);
  const auto [at_a, at_b] = std::ranges::mismatch(of_a, of_b);
  if (at_a == of_a.end() || at_b == of_b.end()) return std::nullopt;
  const std::int64_t place = at_a - of_a.begin();
  const std::string text = token_text(a, *at_a, b, *at_b);
  if (same_shape) return TokenDifference{place, text};
  return TokenDifference{-1, "the first other token is number " + std::to_string(place) + ", " + text};
}

}  // namespace goldentrace
