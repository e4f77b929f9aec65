#include "kernels/compare_result.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "kernels/element.h"

namespace goldentrace {
namespace {

std::int64_t count_elements(std::span<const std::int64_t> shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) {
    if (size < 0 || __builtin_mul_overflow(count, size, &count)) throw std::logic_error("compare: impossible shape");
  }
  return count;
}

void check_size(const TensorView& tensor, std::int64_t elements) {
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(static_cast<std::uint64_t>(elements), item_size(tensor.dtype), &bytes) ||
      bytes != tensor.bytes.size()) {
    throw std::logic_error("compare: the bytes do not fit the shape");
  }
}

double cosine_of(const PairSums& sums) {
  if (sums.a == 0 && sums.b == 0) return 1;
  if (sums.a == 0 || sums.b == 0) return 0;
  return std::clamp(sums.dot / (std::sqrt(sums.a) * std::sqrt(sums.b)), -1.0, 1.0);
}

double relative_norm(const PairSums& sums, int exponent, double max_abs) {
  if (max_abs == 0) return 0;
  if (sums.a == 0) return std::numeric_limits<double>::infinity();
  return std::ldexp(std::sqrt(sums.difference) / std::sqrt(sums.a), exponent);
}

}  // namespace

TensorPair checked_pair(const TensorView& a, const TensorView& b) {
  if (!std::ranges::equal(a.shape, b.shape)) throw std::logic_error("compare: shapes differ");
  const bool floating = dtype_class(a.dtype) == DTypeClass::floating && dtype_class(b.dtype) == DTypeClass::floating;
  if (a.dtype != b.dtype && !floating) throw std::logic_error("compare: dtypes that cannot be compared");
  const std::int64_t elements = count_elements(a.shape);
  check_size(a, elements);
  check_size(b, elements);
  return {.dtype_a = component_dtype(a.dtype),
          .dtype_b = component_dtype(b.dtype),
          .components = component_count(a.dtype),
          .elements = a.dtype == DType::none ? 0 : elements,
          .a = a.bytes.data(),
          .b = b.bytes.data()};
}

std::int64_t row_elements(const TensorView& tensor) { return tensor.shape.size() >= 2 ? tensor.shape.back() : 0; }

bool is_far_from_one(double value) { return value > 0x1p480 || (value > 0 && value < 0x1p-480); }

bool may_need_scale(const TensorPair& pair, const PairSums& sums, double max_abs) {
  if (pair.dtype_a != DType::float64 && pair.dtype_b != DType::float64) return false;
  const auto suspect = [](double sum) { return !(sum >= 0x1p-900 && sum <= 0x1p1000); };
  return suspect(sums.a) || suspect(sums.b) || is_far_from_one(max_abs);
}

SumScale scale_for(const TensorPair& pair, const PairSums& sums, double largest_value, double max_abs) {
  SumScale scale;
  if (!may_need_scale(pair, sums, max_abs)) return scale;
  if (is_far_from_one(largest_value)) scale.values = std::ilogb(largest_value);
  if (is_far_from_one(max_abs)) scale.difference = std::ilogb(max_abs);
  return scale;
}

void set_norms(const Sums& sums, Comparison& result) {
  const int exponent = sums.scale.difference - sums.scale.values;
  result.norm_a = std::ldexp(std::sqrt(sums.total.a), sums.scale.values);
  result.norm_b = std::ldexp(std::sqrt(sums.total.b), sums.scale.values);
  result.norm_difference = std::ldexp(std::sqrt(sums.total.difference), sums.scale.difference);
  result.rel_frobenius = relative_norm(sums.total, exponent, result.max_abs);
  result.cosine = cosine_of(sums.total);
  result.ratio = sums.total.a > 0 ? sums.total.dot / sums.total.a : 1;
  result.worst_row = sums.worst.row;
  result.worst_row_rel = std::ldexp(sums.worst.ratio, exponent);
}

void set_opaque_norm(Comparison& result) {
  if (result.outside > 0) result.rel_frobenius = std::numeric_limits<double>::infinity();
}

}  // namespace goldentrace
