// gtrace show --json: the views as documents of schema goldentrace.show/1.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "cli/selection.h"

namespace goldentrace {

// "header", "layers", "losses", "records" (at most `limit`, 0: all) and "record_count".
nlohmann::ordered_json overview_json(const TraceReader& trace, const std::vector<std::int64_t>& rows,
                                     std::int64_t limit);
nlohmann::ordered_json layer_json(const TraceReader& trace, const LayerView& view);
nlohmann::ordered_json tapes_json(const TraceReader& trace, const std::vector<LayerTape>& tapes);
// With "values", flat in row-major order, at most `limit` (0: all); null without payload.
nlohmann::ordered_json record_json(const TraceReader& trace, std::int64_t row, std::int64_t limit);

}  // namespace goldentrace
