// The index and the calls of a sealed trace as records and layer calls, every number checked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traces/layer_call.h"
#include "traces/payload_reader.h"
#include "traces/record.h"
#include "traces/sealed_tables.h"

namespace goldentrace {

// What is known of a trace when its rows are read. Borrowed for the call.
struct IndexContext {
  const FrameReader& frames;
  const SealedTables& tables;
  const PayloadReader& payloads;
  const std::vector<std::string>& strings;
  std::uint64_t tape_count = 0;
  std::uint64_t blob_count = 0;
  std::int64_t first_row = 0;  // of the run: producers may lie so far before this file
};

// Error(damaged) naming the row, Error(version) for values that this build does not know. Sketches are left empty.
std::vector<Record> read_records(const IndexContext& context, const std::vector<format::IndexRow>& rows);
std::vector<LayerCall> read_calls(const IndexContext& context);

}  // namespace goldentrace
