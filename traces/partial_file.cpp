#include "traces/partial_file.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "traces/error.h"
#include "traces/format.h"

namespace goldentrace {

PartialFile::PartialFile(const std::filesystem::path& target)
    : LockedFile(target.string() + std::string(format::partial_suffix), target), target_(target) {
  if (size() > 0) refuse_other_file();
  if (truncate(0)) return;
  release();
  throw Error(ErrorCode::input_output, failure(), {.file = path().string()});
}

// A trace in the making begins with zeros until it is whole.
void PartialFile::refuse_other_file() {
  std::array<std::uint8_t, format::magic.size()> first{};
  read(0, std::as_writable_bytes(std::span(first)));
  if (first == format::magic || std::ranges::all_of(first, [](std::uint8_t byte) { return byte == 0; })) return;
  release();
  throw Error(ErrorCode::input_output, "is in the way and no trace in the making; remove it or write elsewhere",
              {.file = path().string()});
}

PartialFile::~PartialFile() {
  if (!published_) remove();
}

void PartialFile::publish() {
  LockedFile::publish(target_);
  published_ = true;
}

}  // namespace goldentrace
