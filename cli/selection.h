// Which layers, tapes and records of a trace a user means.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traces/trace_reader.h"

namespace goldentrace {

// A glob (traces/glob.h), or the text itself: ids and labels may hold the characters of globs.
bool matches(const std::string& pattern, const std::string& text);

// Every label that has a call or a record, in order of first use; without the loss.
std::vector<std::string> layer_names(const TraceReader& trace);

// Error(not_found) "no layer NAME" with the closest names.
[[noreturn]] void refuse_layer(const TraceReader& trace, const std::string& name);

struct LayerView {
  std::vector<std::int64_t> calls;    // rows of TraceReader::calls
  std::vector<std::int64_t> records;  // rows of TraceReader::records
};

// Calls and records of the layers that match `pattern`; records also by `filter`. Error(not_found) when no layer does.
LayerView layer_view(const TraceReader& trace, const std::string& pattern, const std::string& filter);

// Rows whose id text or layer matches `filter`; all when it is empty. Error(not_found) when there is none.
std::vector<std::int64_t> select_records(const TraceReader& trace, const std::string& filter);

// The row of a record id as text. Error(usage) when it does not parse, Error(not_found) with the closest ids.
std::int64_t row_of(const TraceReader& trace, const std::string& id);

struct LayerTape {
  std::int64_t tape = -1;
  std::vector<std::int64_t> calls;  // rows of the calls that have this tape
};

// The distinct tapes of one layer in order of first use. Error(not_found) for an unknown layer or one without tapes.
std::vector<LayerTape> tapes_of(const TraceReader& trace, const std::string& layer);

}  // namespace goldentrace
