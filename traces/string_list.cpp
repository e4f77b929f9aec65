#include "traces/string_list.h"

#include "traces/error.h"

namespace goldentrace {

StringList::StringList(const FrameReader& frames, const SealedTables& tables, std::string_view bytes,
                       std::string_view ends)
    : frames_(frames), bytes_(tables.run(bytes)), ends_(tables.load<std::uint64_t>(ends)) {
  std::uint64_t before = 0;
  for (std::uint64_t end : ends_) {
    if (end < before || end > bytes_.bytes) {
      throw Error(ErrorCode::damaged, "damaged: a text ends outside " + bytes_.name,
                  {.file = frames.file().path().string()});
    }
    before = end;
  }
}

std::string StringList::at(std::uint64_t number) const {
  if (number >= ends_.size()) {
    throw Error(ErrorCode::damaged,
                "damaged: text " + std::to_string(number) + " of " + std::to_string(ends_.size()) + " is named",
                {.file = frames_.file().path().string()});
  }
  const std::uint64_t first = number == 0 ? 0 : ends_[number - 1];
  std::string text(ends_[number] - first, '\0');
  frames_.read(bytes_, first, std::as_writable_bytes(std::span(text)));
  return text;
}

std::vector<std::string> StringList::all() const {
  std::vector<std::string> texts;
  texts.reserve(ends_.size());
  for (std::uint64_t number = 0; number < ends_.size(); ++number) texts.push_back(at(number));
  return texts;
}

}  // namespace goldentrace
