#include "diff/value_patterns.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "traces/record.h"

namespace goldentrace {

namespace {

std::int64_t count_of(const TensorView& tensor) {
  return element_count(Shape(tensor.shape.begin(), tensor.shape.end()));
}

int mantissa_bits(DType dtype) {
  switch (dtype) {
    case DType::float16:
    case DType::complex32:
      return 10;
    case DType::bfloat16:
      return 7;
    case DType::float32:
    case DType::complex64:
      return 23;
    case DType::float64:
    case DType::complex128:
      return 52;
    default:
      return 0;
  }
}

template <typename Visit>
void each_pair(const TensorView& a, const TensorView& b, const Visit& visit) {
  const std::int64_t count = count_of(a);
  for (std::int64_t i = 0; i < count; ++i) visit(i, element_as_double(a, i), element_as_double(b, i));
}

// Elements that differ by more than rounding at the scale of the tensor: what other kernels do to all of it hides no
// pattern.
template <typename Visit>
void each_difference(const TensorView& a, const TensorView& b, const Visit& visit) {
  double largest = 0;
  each_pair(a, b, [&largest](std::int64_t, double x, double) {
    if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
  });
  const double rounding = 4 * rounding_unit(a.dtype) * largest;
  each_pair(a, b, [&](std::int64_t i, double x, double y) {
    const bool alike = x == y || std::abs(x - y) <= rounding || (std::isnan(x) && std::isnan(y));
    if (!alike) visit(i);
  });
}

std::uint64_t mixed(double value) {
  std::uint64_t bits = std::bit_cast<std::uint64_t>(value) + 0x9e3779b97f4a7c15ULL;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ULL;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebULL;
  return bits ^ (bits >> 31);
}

float round_to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = bits + 0x7fff + ((bits >> 16) & 1);
  return std::bit_cast<float>(rounded & 0xffff0000U);
}

}  // namespace

double rounding_unit(DType dtype) {
  const int bits = mantissa_bits(dtype);
  return bits == 0 ? 0 : std::ldexp(1.0, -bits - 1);
}

double unit_in_last_place(DType dtype, double norm, std::int64_t elements) {
  const int bits = mantissa_bits(dtype);
  if (bits == 0 || elements == 0 || norm == 0 || !std::isfinite(norm)) return 0;
  return std::ldexp(1.0, std::ilogb(norm / std::sqrt(static_cast<double>(elements))) - bits);
}

double scale_residual(const TensorView& a, const TensorView& b, double ratio) {
  double square = 0;
  each_pair(a, b, [&](std::int64_t, double x, double y) {
    const double difference = y - ratio * x;
    if (std::isfinite(difference)) square += difference * difference;
  });
  return std::sqrt(square);
}

std::optional<double> constant_offset(const TensorView& a, const TensorView& b) {
  const std::int64_t count = count_of(a);
  if (count < 2) return std::nullopt;
  double sum = 0;
  double largest = 0;
  each_pair(a, b, [&](std::int64_t, double x, double y) {
    sum += y - x;
    largest = std::max({largest, std::abs(x), std::abs(y)});
  });
  const double offset = sum / static_cast<double>(count);
  if (!std::isfinite(offset) || offset == 0) return std::nullopt;
  double deviation = 0;
  each_pair(a, b, [&](std::int64_t, double x, double y) { deviation = std::max(deviation, std::abs(y - x - offset)); });
  const double rounding = 4 * rounding_unit(a.dtype) * largest;
  const bool constant = deviation <= rounding && std::abs(offset) > 2 * rounding;
  return constant ? std::optional(offset) : std::nullopt;
}

std::optional<double> repeated_number(const TensorView& tensor) {
  const std::int64_t count = count_of(tensor);
  if (count < 2) return std::nullopt;
  const double first = element_as_double(tensor, 0);
  for (std::int64_t i = 1; i < count; ++i) {
    if (element_as_double(tensor, i) != first) return std::nullopt;
  }
  return first;
}

bool is_permutation(const TensorView& a, const TensorView& b) {
  std::uint64_t sum_a = 0;
  std::uint64_t sum_b = 0;
  each_pair(a, b, [&](std::int64_t, double x, double y) {
    sum_a += mixed(x);
    sum_b += mixed(y);
  });
  return count_of(a) > 1 && sum_a == sum_b;
}

bool only_last_position_agrees(const TensorView& a, const TensorView& b) {
  if (a.shape.size() < 2) return false;
  const std::int64_t width = a.shape.back();
  const std::int64_t positions = a.shape[a.shape.size() - 2];
  // Of two positions, one differing says nothing about a mask.
  if (positions < 3 || width == 0) return false;
  std::vector<bool> differs(static_cast<std::size_t>(positions), false);
  each_difference(a, b, [&](std::int64_t i) { differs[static_cast<std::size_t>(i / width % positions)] = true; });
  return !differs.back() && std::all_of(differs.begin(), differs.end() - 1, [](bool each) { return each; });
}

std::optional<DifferingEnds> only_ends_differ(const TensorView& a, const TensorView& b) {
  if (a.shape.size() != 3 || count_of(a) == 0) return std::nullopt;
  const std::int64_t positions = a.shape[1];
  const std::int64_t width = a.shape[2];
  std::vector<bool> differs(static_cast<std::size_t>(a.shape[0] * positions), false);
  each_difference(a, b, [&](std::int64_t i) { differs[static_cast<std::size_t>(i / width)] = true; });
  const auto first = std::find(differs.begin(), differs.end(), true) - differs.begin();
  const auto count = std::count(differs.begin(), differs.end(), true);
  const std::int64_t last = first + count - 1;
  // One run of positions inside one sample, at an end of it, and not all of it.
  const bool one_run = count > 0 && std::count(differs.begin() + first, differs.begin() + last + 1, true) == count;
  if (!one_run || first / positions != last / positions || count == positions) return std::nullopt;
  if (first % positions != 0 && last % positions != positions - 1) return std::nullopt;
  return DifferingEnds{first / positions, first % positions, last % positions};
}

std::int64_t rows_zeroed(const TensorView& a, const TensorView& b) {
  if (a.shape.empty() || a.shape.back() == 0) return 0;
  const std::int64_t width = a.shape.back();
  const std::int64_t rows = count_of(a) / width;
  std::int64_t zeroed = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    bool differs = false;
    bool zero = true;
    for (std::int64_t i = row * width; i < (row + 1) * width; ++i) {
      const double y = element_as_double(b, i);
      differs = differs || element_as_double(a, i) != y;
      zero = zero && y == 0;
    }
    if (differs && !zero) return 0;
    zeroed += differs ? 1 : 0;
  }
  return zeroed;
}

bool is_rounded_to_bfloat16(const TensorView& a, const TensorView& b) {
  if (a.dtype != DType::float32 || b.dtype != DType::float32) return false;
  bool rounded = true;
  each_pair(a, b, [&](std::int64_t, double x, double y) {
    rounded = rounded && round_to_bfloat16(static_cast<float>(x)) == static_cast<float>(y);
  });
  return rounded;
}

}  // namespace goldentrace
