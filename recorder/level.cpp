#include "recorder/level.h"

#include <fstream>
#include <system_error>

#include "traces/error.h"

namespace goldentrace {

Capture Level::begin_step(std::int64_t step) {
  if (!file_.empty()) look_at_file();
  const Capture asked = asked_;
  if (asked != now_) changes_.emplace_back(step, asked);
  return now_ = asked;
}

void Level::look_at_file() {
  std::error_code missing;
  const auto time = std::filesystem::last_write_time(file_, missing);
  if (missing) return;
  const Stamp stamp{time, std::filesystem::file_size(file_, missing)};
  if (missing || seen_ == stamp) return;
  std::string word;
  // Empty: its writer is not done yet.
  if (!(std::ifstream(file_) >> word)) return;
  seen_ = stamp;
  try {
    const Capture capture = parse_capture(word);
    if (capture != forbidden_) {
      asked_ = capture;
      return;
    }
  } catch (const Error&) {
  }
  refused_ = word.substr(0, 32);
}

std::string Level::changes() const {
  std::string text;
  for (const auto& [step, capture] : changes_) {
    text += (text.empty() ? "" : ",") + std::to_string(step) + ':' + std::string(name(capture));
  }
  return text;
}

}  // namespace goldentrace
