#include "diff/quality.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "diff/number.h"
#include "traces/elements.h"
#include "traces/error.h"

namespace goldentrace {

namespace {

constexpr std::int64_t ignored = -100;

bool is_finite(std::span<const double> row) {
  return std::ranges::all_of(row, [](double value) { return std::isfinite(value); });
}

// Subtracts log-sum-exp.
std::vector<double> log_softmax(std::span<const double> row) {
  const double largest = std::ranges::max(row);
  double sum = 0;
  for (const double value : row) sum += std::exp(value - largest);
  const double shift = largest + std::log(sum);
  std::vector<double> result(row.begin(), row.end());
  for (double& value : result) value -= shift;
  return result;
}

// Ties go to the lower index.
std::int64_t largest_of(std::span<const double> row) { return std::ranges::max_element(row) - row.begin(); }

std::int64_t columns_of(const TensorView& view) {
  if (view.shape.empty() || dtype_class(view.dtype) != DTypeClass::floating) {
    throw Error(ErrorCode::usage, "logits must be floating tensors with an axis of columns, not " +
                                      std::string(name(view.dtype)) + " " + show_list(view.shape));
  }
  return view.shape.back();
}

// One row of logits as doubles, its first `columns`.
std::vector<double> row_of(const TensorView& view, std::int64_t row, std::int64_t columns) {
  const std::size_t item = item_size(view.dtype);
  const std::size_t whole = static_cast<std::size_t>(view.shape.back()) * item;
  return to_numbers(view.bytes.subspan(static_cast<std::size_t>(row) * whole, static_cast<std::size_t>(columns) * item),
                    view.dtype);
}

// The first columns of every row.
std::vector<std::byte> cut(const TensorView& view, std::int64_t columns) {
  const std::size_t whole = static_cast<std::size_t>(view.shape.back()) * item_size(view.dtype);
  const std::size_t kept = static_cast<std::size_t>(columns) * item_size(view.dtype);
  std::vector<std::byte> result;
  for (std::size_t at = 0; at + whole <= view.bytes.size(); at += whole) {
    result.insert(result.end(), view.bytes.begin() + static_cast<std::ptrdiff_t>(at),
                  view.bytes.begin() + static_cast<std::ptrdiff_t>(at + kept));
  }
  return result;
}

}  // namespace

void QualityMeter::add(const TensorView& a, const TensorView& b, std::span<const std::int64_t> targets,
                       std::int64_t row) {
  const std::int64_t columns = std::min(columns_of(a), columns_of(b));
  const auto leading = [](const TensorView& view) { return view.shape.first(view.shape.size() - 1); };
  if (!std::ranges::equal(leading(a), leading(b)) || columns == 0) {
    throw Error(ErrorCode::usage, "logits are " + show_list(a.shape) + " and " + show_list(b.shape));
  }
  const auto rows = static_cast<std::int64_t>(a.bytes.size() / item_size(a.dtype)) / a.shape.back();
  if (!targets.empty() && static_cast<std::int64_t>(targets.size()) != rows) {
    throw Error(ErrorCode::usage, std::to_string(targets.size()) + " targets for " + counted(rows, "position") +
                                      " of logits " + show_list(a.shape));
  }
  add_differences(a, b, columns);
  const std::int64_t document = row > 0 ? row : std::max<std::int64_t>(1, rows);
  for (std::int64_t first = 0; first < rows; first += document) {
    std::vector<Prediction> predictions;
    for (std::int64_t at = first; at < std::min(rows, first + document); ++at) {
      const std::int64_t target = targets.empty() ? ignored : targets[static_cast<std::size_t>(at)];
      predictions.push_back(add_position(row_of(a, at, columns), row_of(b, at, columns), target));
    }
    add_document(predictions);
  }
}

void QualityMeter::add_differences(const TensorView& a, const TensorView& b, std::int64_t columns) {
  const std::vector<std::byte> cut_a = cut(a, columns);
  const std::vector<std::byte> cut_b = cut(b, columns);
  const std::array<std::int64_t, 2> shape{static_cast<std::int64_t>(cut_a.size() / item_size(a.dtype)) / columns,
                                          columns};
  const Comparison found = compare({a.dtype, shape, cut_a}, {b.dtype, shape, cut_b});
  for (std::size_t i = 0; i < ulp_buckets; ++i) total_.ulp_histogram[i] += found.ulp_histogram[i];
  elements_ += found.elements;
  equal_ += found.bit_equal + found.zero_sign;
  total_.max_abs = std::max(total_.max_abs, found.max_abs);
  difference_ = std::hypot(difference_, found.norm_difference);
  norm_ = std::hypot(norm_, found.norm_a);
  total_.columns = total_.columns == 0 ? columns : std::min(total_.columns, columns);
}

QualityMeter::Prediction QualityMeter::add_position(std::span<const double> a, std::span<const double> b,
                                                    std::int64_t target) {
  if (target != ignored && (target < 0 || target >= static_cast<std::int64_t>(a.size()))) {
    throw Error(ErrorCode::usage, "target " + std::to_string(target) + " is none of the " +
                                      counted(static_cast<std::int64_t>(a.size()), "column"));
  }
  if (!is_finite(a) || !is_finite(b)) {
    ++total_.nonfinite_positions;
    return {};
  }
  ++total_.positions;
  const std::vector<double> p = log_softmax(a);
  const std::vector<double> q = log_softmax(b);
  double kl = 0;
  for (std::size_t i = 0; i < p.size(); ++i) kl += std::exp(p[i]) * (p[i] - q[i]);
  // Rounding can bring a sum of nothing below zero.
  kl = std::max(kl, 0.0);
  kl_ += kl;
  total_.max_kl = std::max(total_.max_kl, kl);
  const std::int64_t largest_a = largest_of(a);
  const std::int64_t largest_b = largest_of(b);
  agreeing_ += largest_a == largest_b ? 1 : 0;
  if (target == ignored) return {};
  const auto at = static_cast<std::size_t>(target);
  return {true, p[at], q[at], largest_a == target, largest_b == target};
}

void QualityMeter::add_document(std::span<const Prediction> predictions) {
  bool right_a = true, right_b = true;
  const Prediction* last = nullptr;
  for (const Prediction& each : predictions) {
    if (!each.known) continue;
    last = &each;
    ++total_.targets;
    sums_a_.log_likelihood += each.log_a;
    sums_b_.log_likelihood += each.log_b;
    right_a = right_a && each.right_a;
    right_b = right_b && each.right_b;
  }
  if (!last) return;
  ++total_.documents;
  sums_a_.right_documents += right_a ? 1 : 0;
  sums_b_.right_documents += right_b ? 1 : 0;
  sums_a_.right_last += last->right_a ? 1 : 0;
  sums_b_.right_last += last->right_b ? 1 : 0;
}

ModelQuality QualityMeter::quality(const Sums& sums, const QualityFigures& figures) {
  ModelQuality result;
  if (figures.targets == 0) return result;
  const auto documents = static_cast<double>(figures.documents);
  result.log_likelihood = sums.log_likelihood;
  result.perplexity = std::exp(-sums.log_likelihood / static_cast<double>(figures.targets));
  result.document_perplexity = std::exp(-sums.log_likelihood / documents);
  result.accuracy = static_cast<double>(sums.right_documents) / documents;
  result.last_token_accuracy = static_cast<double>(sums.right_last) / documents;
  return result;
}

QualityFigures QualityMeter::figures() const {
  QualityFigures result = total_;
  if (result.positions > 0) {
    result.kl = kl_ / static_cast<double>(result.positions);
    result.top1 = static_cast<double>(agreeing_) / static_cast<double>(result.positions);
  }
  if (elements_ > 0) result.equal_fraction = static_cast<double>(equal_) / static_cast<double>(elements_);
  result.rel_frobenius = norm_ > 0 ? difference_ / norm_ : difference_;
  result.a = quality(sums_a_, result);
  result.b = quality(sums_b_, result);
  return result;
}

}  // namespace goldentrace
