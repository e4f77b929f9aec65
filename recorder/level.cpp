#include "recorder/level.h"

#include "traces/error.h"

namespace goldentrace {

Level::Level(Capture first, const std::filesystem::path& file, std::optional<Capture> forbidden)
    : now_(first), asked_(first), forbidden_(forbidden) {
  if (!file.empty()) file_.emplace(file);
}

Capture Level::begin_step(std::int64_t step) {
  if (file_) look_at_file();
  const Capture asked = asked_;
  if (asked != now_) changes_.emplace_back(step, asked);
  return now_ = asked;
}

void Level::look_at_file() {
  const std::string word = file_->new_word();
  if (word.empty()) return;
  try {
    const Capture capture = parse_capture(word);
    if (capture != forbidden_) {
      asked_ = capture;
      return;
    }
  } catch (const Error&) {
  }
  ++refused_;
  refused_word_ = word;
}

std::string Level::refusals() const {
  std::string text;
  if (refused_ == 1) text = "the word '" + refused_word_ + "' changed nothing";
  if (refused_ > 1) {
    text = std::to_string(refused_) + " times a word changed nothing, the last was '" + refused_word_ + "'";
  }
  if (!file_ || file_->trouble().empty()) return text;
  return text + (text.empty() ? "" : ", ") + "could not be read: " + file_->trouble();
}

std::string Level::changes() const {
  std::string text;
  for (const auto& [step, capture] : changes_) {
    text += (text.empty() ? "" : ",") + std::to_string(step) + ':' + std::string(name(capture));
  }
  return text;
}

}  // namespace goldentrace
