// One journal and the file that it will be sealed into: a whole run, or one segment of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "traces/content_claims.h"
#include "traces/journal_writer.h"
#include "traces/text_pool.h"

namespace goldentrace {

struct Segment {
  Segment(const std::filesystem::path& file, const format::JournalHead& head, std::int64_t first_call)
      : target(file),
        first_row(static_cast<std::int64_t>(head.first_row)),
        first_call(first_call),
        journal(file, head) {}

  std::filesystem::path target;
  std::int64_t first_row;   // of the run
  std::int64_t first_call;  // of the run
  std::int64_t committed_calls = 0;
  bool is_kept = false;  // its journal stays whatever happens
  JournalWriter journal;
  ContentClaims claims;
  SegmentTexts tapes;
  SegmentTexts blobs;
};

// "run.0003.h5" for segment 3 of run.h5.
std::filesystem::path segment_path(const std::filesystem::path& run, std::uint32_t number);

// The numbers of the finished segments of a run, in order.
std::vector<std::uint32_t> segments_of(const std::filesystem::path& run);
// Those of segments whose file name goes on with `suffix`.
std::vector<std::uint32_t> segments_of(const std::filesystem::path& run, std::string_view suffix);

}  // namespace goldentrace
