#include "traces/partial_file.h"

#include <string>

#include "traces/error.h"
#include "traces/format.h"

namespace goldentrace {

PartialFile::PartialFile(const std::filesystem::path& target)
    : LockedFile(target.string() + std::string(format::partial_suffix), target), target_(target) {
  if (truncate(0)) return;
  release();
  throw Error(ErrorCode::input_output, failure(), {.file = path().string()});
}

PartialFile::~PartialFile() {
  if (!published_) remove();
}

void PartialFile::publish() {
  LockedFile::publish(target_);
  published_ = true;
}

}  // namespace goldentrace
