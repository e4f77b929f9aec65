// What is asked about the quality of a language model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace goldentrace {

struct QualityLimits {
  std::optional<double> max_kl;                 // mean over positions of sum p (log p - log q), p of A and q of B
  std::optional<double> min_top1;               // share of positions with the same largest logit
  std::optional<double> max_perplexity_change;  // |B / A - 1|
  std::optional<double> max_accuracy_drop;      // share of documents that A gets right, less that of B
  std::optional<double> min_equal;              // share of logits with equal bits (+0 = -0)

  bool any() const { return max_kl || min_top1 || max_perplexity_change || max_accuracy_drop || min_equal; }
};

struct QualityOptions {
  bool wanted = false;  // report it; any limit asks for it too
  QualityLimits limits;
  // Only the limits above decide; tensors out of their gate are listed.
  bool decides = false;
  std::string layer;                  // glob, of A; empty: logits or lm_head
  std::vector<std::int64_t> targets;  // of all logits together, in order; empty: the recorded labels
  std::string targets_name;           // for the report

  bool asked() const { return wanted || decides || limits.any(); }
};

}  // namespace goldentrace
