#include "cli/segment_list.h"

#include "traces/segment.h"

namespace goldentrace {

std::vector<SegmentFile> segment_files(const std::filesystem::path& trace) {
  std::error_code failure;
  if (std::filesystem::exists(trace, failure)) return {};
  std::vector<SegmentFile> files;
  for (const std::uint32_t number : segments_of(trace)) {
    const std::filesystem::path file = segment_path(trace, number);
    const std::uintmax_t bytes = std::filesystem::file_size(file, failure);
    files.push_back({file, failure ? 0 : bytes});
  }
  return files;
}

}  // namespace goldentrace
