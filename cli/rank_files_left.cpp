#include "cli/rank_files_left.h"

#include "traces/journal_format.h"
#include "traces/rank_files.h"
#include "traces/segment.h"

namespace goldentrace {
namespace {

bool has_journal(const std::filesystem::path& trace) {
  std::error_code ignored;
  std::filesystem::path journal = trace;
  journal += format::journal_suffix;
  return std::filesystem::exists(journal, ignored) || !segments_of(trace, format::journal_suffix).empty();
}

}  // namespace

RankFilesLeft::RankFilesLeft(const std::filesystem::path& run, std::int64_t ranks) {
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    const std::filesystem::path path = rank_path(run, rank);
    files_.push_back({path, CommittedSteps(path)});
  }
}

std::string RankFilesLeft::text() const {
  std::string text;
  for (const File& file : files_) {
    const std::string name = file.path.string();
    if (!text.empty()) text += "; ";
    if (has_journal(file.path))
      text += name + " is incomplete, recover it with: gtrace recover " + name;
    else if (file.steps.any())
      text += file.steps.text();
    else
      text += "nothing was written to " + name;
  }
  return text;
}

}  // namespace goldentrace
