// gtrace show as text: aligned on a terminal, tab-separated for scripts.
#pragma once

#include <ostream>
#include <vector>

#include "cli/selection.h"

namespace goldentrace {

struct RecordListing {
  bool statistics = false;
  std::int64_t limit = 0;  // 0: all
};

void print_overview(std::ostream& out, const TraceReader& trace);
void print_records(std::ostream& out, const TraceReader& trace, const std::vector<std::int64_t>& rows,
                   const RecordListing& listing);
void print_layer(std::ostream& out, const TraceReader& trace, const LayerView& view, const RecordListing& listing);
void print_tapes(std::ostream& out, const TraceReader& trace, const std::vector<LayerTape>& tapes);
void print_record(std::ostream& out, const TraceReader& trace, std::int64_t row, std::int64_t limit);

}  // namespace goldentrace
