// Quality of a language model from its logits: what a difference of the numbers means for its predictions. Formulas in
// double precision over the logits as they were recorded, log p = log-softmax over the columns that both sides have.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/compare.h"

namespace goldentrace {

// Of one side. Targets are the tokens that a position must predict; -100: none. A document is a row of them.
struct ModelQuality {
  double log_likelihood = 0;       // sum of log p(target)
  double perplexity = 0;           // exp(-log_likelihood / targets)
  double accuracy = 0;             // documents all of whose targets have the largest logit
  double last_token_accuracy = 0;  // documents whose last target has
  double document_perplexity = 0;  // exp(-mean log-likelihood of a document)
};

struct QualityFigures {
  std::int64_t positions = 0, columns = 0, targets = 0, documents = 0;
  std::int64_t nonfinite_positions = 0;  // left out of every figure
  double kl = 0;
  double max_kl = 0;  // of one position
  double top1 = 0;
  double equal_fraction = 0;
  double max_abs = 0;
  double rel_frobenius = 0;
  std::array<std::int64_t, ulp_buckets> ulp_histogram{};  // as Comparison::ulp_histogram
  ModelQuality a, b;                                      // without targets all 0
};

// Adds up tensors of logits, one pair at a time. One thread.
class QualityMeter {
 public:
  // Both [..., columns] with equal leading sizes and any floating type, else Error(usage); columns may differ: the
  // first ones that both have count. `targets`: one for each position, or empty; `row`: positions of a document.
  // Error(usage) for a target outside of the columns.
  void add(const TensorView& a, const TensorView& b, std::span<const std::int64_t> targets, std::int64_t row);
  QualityFigures figures() const;

 private:
  struct Sums {
    double log_likelihood = 0;
    std::int64_t right_documents = 0, right_last = 0;
  };
  // What a position says of its target; not known without a target, and where a logit is not finite.
  struct Prediction {
    bool known = false;
    double log_a = 0, log_b = 0;
    bool right_a = false, right_b = false;
  };

  void add_differences(const TensorView& a, const TensorView& b, std::int64_t columns);
  Prediction add_position(std::span<const double> a, std::span<const double> b, std::int64_t target);
  void add_document(std::span<const Prediction> predictions);
  static ModelQuality quality(const Sums& sums, const QualityFigures& figures);

  QualityFigures total_;
  double kl_ = 0, difference_ = 0, norm_ = 0;
  std::int64_t agreeing_ = 0, elements_ = 0, equal_ = 0;
  Sums sums_a_, sums_b_;
};

}  // namespace goldentrace
