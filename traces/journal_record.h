// A record as an entry of a journal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "traces/journal_format.h"
#include "traces/record.h"

namespace goldentrace {

struct JournalRecord {
  std::int64_t row = 0;
  std::int64_t content = format::content_none;
  Record record;  // its sketch is left empty
  format::SketchTable sketch_table = format::SketchTable::none;
  std::uint32_t sketch_count = 0;
  std::span<const std::byte> sketch;  // its elements; lives as long as the entry's body
};

// Replaces `out`. The sketch is stored as its table has it; one that repeats the payload's elements is left out.
void encode_record(std::int64_t row, const Record& record, std::span<const std::byte> payload,
                   std::vector<std::byte>& out);
void set_content(std::span<std::byte> body, std::int64_t content);  // in an encoded record

JournalRecord decode_record(std::span<const std::byte> body);  // Error(damaged), Error(version)

}  // namespace goldentrace
