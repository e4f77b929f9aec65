// What a RecordFunction user scope means: a layer, a reserved word, or a label of the framework itself.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace goldentrace {

enum class LabelKind {
  layer,
  step,       // the reserved label "step N"
  micro,      // the reserved label "micro N"
  optimizer,  // "Optimizer.step#SGD.step": the optimizer is about to read the gradients
  unwanted,   // a layer that no glob names
  ignored,    // other labels of the framework
};

struct Label {
  LabelKind kind = LabelKind::layer;
  std::int64_t number = 0;  // step and micro
};

// Knows which layers are wanted. Not thread-safe: the session's lock is held around it.
class Labels {
 public:
  // Globs; empty: every layer.
  explicit Labels(std::vector<std::string> wanted) : wanted_(std::move(wanted)) {}

  // Remembers the answer for each text.
  Label classify(std::string_view text);
  // The first few that no glob named, in order of first use.
  const std::vector<std::string>& left_out() const { return left_out_; }
  bool wants_root() const { return wanted_.empty() || wants("(root)"); }

 private:
  bool wants(std::string_view text) const;

  std::vector<std::string> wanted_;
  std::vector<std::string> left_out_;
  std::unordered_map<std::string, Label> known_;
};

}  // namespace goldentrace
