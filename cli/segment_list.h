// The files of a trace that was recorded in segments, or on several ranks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace goldentrace {

struct SegmentFile {
  std::filesystem::path file;
  std::uint64_t bytes = 0;
};

// In order, rank after rank; empty for a trace that is one file, and for one segment opened alone.
std::vector<SegmentFile> segment_files(const std::filesystem::path& trace);

}  // namespace goldentrace
