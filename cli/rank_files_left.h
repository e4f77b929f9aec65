// What a recording on several ranks that did not end well has left.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/record_summary.h"

namespace goldentrace {

class RankFilesLeft {
 public:
  // Made before the ranks start: it knows new files from older ones.
  RankFilesLeft(const std::filesystem::path& run, std::int64_t ranks);

  // "3 committed steps are in run.rank0.h5; run.rank1.h5 is incomplete, recover it with: gtrace recover run.rank1.h5".
  std::string text() const;

 private:
  struct File {
    std::filesystem::path path;
    CommittedSteps steps;
  };
  std::vector<File> files_;
};

}  // namespace goldentrace
