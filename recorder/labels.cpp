#include "recorder/labels.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "traces/glob.h"

namespace goldentrace {
namespace {

constexpr std::array<std::string_view, 6> framework_labels = {
    "Optimizer.", "enumerate(DataLoader)#", "gloo:", "nccl:", "DistributedDataParallel.", "ProfilerStep#"};

bool parse_numbered(std::string_view text, std::string_view word, std::int64_t& number) {
  if (!text.starts_with(word)) return false;
  const char* first = text.data() + word.size();
  const char* last = text.data() + text.size();
  const auto [end, failure] = std::from_chars(first, last, number);
  return failure == std::errc() && end == last && number >= 0;
}

Label meaning_of(std::string_view text) {
  Label label;
  if (parse_numbered(text, "step ", label.number)) {
    label.kind = LabelKind::step;
  } else if (parse_numbered(text, "micro ", label.number)) {
    label.kind = LabelKind::micro;
  } else if (text.starts_with("Optimizer.step#")) {
    label.kind = LabelKind::optimizer;
  } else if (std::any_of(framework_labels.begin(), framework_labels.end(),
                         [&](std::string_view prefix) { return text.starts_with(prefix); })) {
    label.kind = LabelKind::ignored;
  }
  return label;
}

// Labels that carry a number of their own ("batch 17") would otherwise fill the memory of a long run.
constexpr std::size_t known_limit = 65536;
constexpr std::size_t named_limit = 8;

}  // namespace

bool Labels::wants(std::string_view text) const {
  return wanted_.empty() ||
         std::any_of(wanted_.begin(), wanted_.end(), [&](const std::string& glob) { return glob_match(glob, text); });
}

Label Labels::classify(std::string_view text) {
  if (const auto found = known_.find(std::string(text)); found != known_.end()) return found->second;
  Label label = meaning_of(text);
  if (label.kind == LabelKind::layer && !wants(text)) {
    label.kind = LabelKind::unwanted;
    if (left_out_.size() < named_limit) left_out_.emplace_back(text);
  }
  if (known_.size() < known_limit) known_.emplace(text, label);
  return label;
}

}  // namespace goldentrace
