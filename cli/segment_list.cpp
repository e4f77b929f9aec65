#include "cli/segment_list.h"

#include "traces/rank_files.h"
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
  for (const std::int64_t rank : ranks_of(trace)) {
    const std::filesystem::path file = rank_path(trace, rank);
    const std::uintmax_t bytes = std::filesystem::file_size(file, failure);
    if (!failure) files.push_back({file, bytes});
    const std::vector<SegmentFile> own = segment_files(file);
    files.insert(files.end(), own.begin(), own.end());
  }
  return files;
}

}  // namespace goldentrace
