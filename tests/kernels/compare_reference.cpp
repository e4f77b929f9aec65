#include "tests/kernels/compare_reference.h"

#include <cfloat>
#include <complex>
#include <limits>

#include "tests/kernels/tensors.h"

namespace goldentrace::testing {
namespace {

using Number = std::complex<long double>;

DType part_of(DType dtype) {
  if (dtype == DType::complex32) return DType::float16;
  if (dtype == DType::complex64) return DType::float32;
  if (dtype == DType::complex128) return DType::float64;
  return dtype;
}

bool is_complex(DType dtype) { return part_of(dtype) != dtype; }

long double real_part(const TensorView& tensor, std::size_t index) {
  if (tensor.dtype == DType::int64) return read<std::int64_t>(tensor.bytes, index);
  if (tensor.dtype == DType::uint64) return read<std::uint64_t>(tensor.bytes, index);
  return element(tensor.bytes, part_of(tensor.dtype), index);
}

Number number(const TensorView& tensor, std::size_t index) {
  if (!is_complex(tensor.dtype)) return real_part(tensor, index);
  return {real_part(tensor, 2 * index), real_part(tensor, 2 * index + 1)};
}

bool is_nan(Number x) { return std::isnan(x.real()) || std::isnan(x.imag()); }
bool is_finite(Number x) { return std::isfinite(x.real()) && std::isfinite(x.imag()); }
bool parts_agree(long double a, long double b, bool nan_same) {
  return a == b || (nan_same && std::isnan(a) && std::isnan(b));
}

std::uint64_t widened_bits(const TensorView& tensor, std::size_t index) {
  const double value = element(tensor.bytes, tensor.dtype, index);
  std::uint64_t bits;
  std::memcpy(&bits, &value, 8);
  return bits;
}

bool same_bits(const TensorView& a, const TensorView& b, std::size_t index) {
  if (a.dtype != b.dtype) return widened_bits(a, index) == widened_bits(b, index);
  const std::size_t size = item_size(a.dtype);
  return std::memcmp(a.bytes.data() + index * size, b.bytes.data() + index * size, size) == 0;
}

int fraction_of(DType dtype) {
  return dtype == DType::bfloat16 ? 7 : dtype == DType::float16 ? 10 : dtype == DType::float32 ? 23 : 52;
}
int exponent_of(DType dtype) { return dtype == DType::float16 ? 5 : dtype == DType::float64 ? 11 : 8; }

// How many numbers of the format lie between 0 and |value|, from logarithms rather than from bit patterns.
long double place_of(double value, DType dtype) {
  const int fraction = fraction_of(dtype), bias = (1 << (exponent_of(dtype) - 1)) - 1;
  if (value == 0) return 0;
  const int exponent = std::max(std::ilogb(value), 1 - bias);
  const long double in_binade =
      std::nearbyint(std::ldexp(static_cast<long double>(std::abs(value)), fraction - exponent));
  const long double place = in_binade + std::ldexp(static_cast<long double>(exponent - 1 + bias), fraction);
  const long double infinity = std::ldexp(static_cast<long double>(2 * bias + 1), fraction);
  return std::copysign(std::min(place, infinity), static_cast<long double>(value));
}

std::uint64_t distance(double a, double b, DType dtype) {
  return static_cast<std::uint64_t>(std::abs(place_of(a, dtype) - place_of(b, dtype)));
}

std::uint64_t element_distance(const TensorView& a, const TensorView& b, std::size_t i) {
  const DType dtype =
      fraction_of(part_of(a.dtype)) <= fraction_of(part_of(b.dtype)) ? part_of(a.dtype) : part_of(b.dtype);
  const Number x = number(a, i), y = number(b, i);
  return std::max(distance(static_cast<double>(x.real()), static_cast<double>(y.real()), dtype),
                  distance(static_cast<double>(x.imag()), static_cast<double>(y.imag()), dtype));
}

void note(bool happened, std::int64_t index, std::int64_t& count, std::int64_t& first) {
  if (happened && count++ == 0) first = index;
}

void add_finite_pair(const TensorView& a, const TensorView& b, std::size_t i, Comparison& result) {
  const Number x = number(a, i), y = number(b, i);
  const auto difference = std::min<long double>(std::abs(x - y), DBL_MAX);
  const auto larger = std::max(std::abs(x), std::abs(y));
  const double rel = larger == 0 ? 0 : static_cast<double>(difference / larger);
  if (static_cast<double>(difference) > result.max_abs) {
    result.max_abs = static_cast<double>(difference);
    result.max_abs_index = static_cast<std::int64_t>(i);
    result.a_at_max = static_cast<double>(x.real());
    result.b_at_max = static_cast<double>(y.real());
  }
  if (rel > result.max_rel) {
    result.max_rel = rel;
    result.max_rel_index = static_cast<std::int64_t>(i);
  }
}

void add_ulp(const TensorView& a, const TensorView& b, std::size_t i, bool finite, bool agrees, Comparison& result) {
  std::uint64_t ulp = 0;
  if (finite) ulp = element_distance(a, b, i);
  result.max_ulp = std::max(result.max_ulp, ulp);
  std::size_t bucket = 0;
  while (bucket + 1 < ulp_buckets && ulp >> bucket != 0) ++bucket;
  ++result.ulp_histogram[finite || agrees ? bucket : ulp_buckets - 1];
}

void add_element(const TensorView& a, const TensorView& b, std::size_t i, const CompareOptions& options,
                 Comparison& result) {
  const Number x = number(a, i), y = number(b, i);
  const auto index = static_cast<std::int64_t>(i);
  const bool finite = is_finite(x) && is_finite(y);
  const bool agrees =
      parts_agree(x.real(), y.real(), options.nan_same) && parts_agree(x.imag(), y.imag(), options.nan_same);
  note(is_nan(x), index, result.nan_a, result.first_nan_a);
  note(is_nan(y), index, result.nan_b, result.first_nan_b);
  note(!is_nan(x) && !is_finite(x), index, result.inf_a, result.first_inf_a);
  note(!is_nan(y) && !is_finite(y), index, result.inf_b, result.first_inf_b);
  note(!finite && !agrees, index, result.nonfinite_mismatch, result.first_nonfinite);
  const bool bits = same_bits(a, b, i);
  result.bit_equal += bits;
  result.value_equal += agrees;
  const DTypeClass kind = dtype_class(a.dtype);
  const bool has_sign = kind == DTypeClass::floating || kind == DTypeClass::complex;
  result.zero_sign += has_sign && finite && agrees && !bits;
  if (has_sign) add_ulp(a, b, i, finite, agrees, result);
  const bool inside = finite ? std::abs(x - y) <= options.atol + options.rtol * std::abs(x) : agrees;
  note(!inside, index, result.outside, result.first_outside);
  if (finite) add_finite_pair(a, b, i, result);
}

struct Squares {
  long double a = 0, b = 0, difference = 0, dot = 0;
};

Squares squares_of(const TensorView& a, const TensorView& b, std::size_t from, std::size_t to) {
  Squares sums;
  for (std::size_t i = from; i < to; ++i) {
    const Number x = number(a, i), y = number(b, i);
    if (!is_finite(x) || !is_finite(y)) continue;
    sums.a += std::norm(x);
    sums.b += std::norm(y);
    sums.difference += std::norm(x - y);
    sums.dot += (x * std::conj(y)).real();
  }
  return sums;
}

void set_norms(const Squares& sums, Comparison& result) {
  const long double a = std::sqrt(sums.a), b = std::sqrt(sums.b), difference = std::sqrt(sums.difference);
  result.norm_a = static_cast<double>(a);
  result.norm_b = static_cast<double>(b);
  result.norm_difference = static_cast<double>(difference);
  result.rel_frobenius = difference == 0 ? 0 : a == 0 ? INFINITY : static_cast<double>(difference / a);
  result.cosine = a == 0 && b == 0 ? 1 : a == 0 || b == 0 ? 0 : static_cast<double>(sums.dot / a / b);
  result.ratio = a == 0 ? 1 : static_cast<double>(sums.dot / a / a);
}

void set_worst_row(const TensorView& a, const TensorView& b, const Squares& total, Comparison& result) {
  if (a.shape.size() < 2 || result.elements == 0) return;
  const auto length = static_cast<std::size_t>(a.shape.back());
  const std::size_t rows = static_cast<std::size_t>(result.elements) / length;
  const long double least = 0.1L * std::sqrt(total.a / static_cast<long double>(rows));
  for (std::size_t row = 0; row < rows; ++row) {
    const Squares sums = squares_of(a, b, row * length, (row + 1) * length);
    if (sums.a == 0 || std::sqrt(sums.a) < least) continue;
    const auto rel = static_cast<double>(std::sqrt(sums.difference / sums.a));
    if (rel > result.worst_row_rel) {
      result.worst_row_rel = rel;
      result.worst_row = static_cast<std::int64_t>(row);
    }
  }
}

}  // namespace

Comparison reference_compare(const TensorView& a, const TensorView& b, const CompareOptions& options) {
  Comparison result{.elements = 1};
  for (const std::int64_t size : a.shape) result.elements *= size;
  for (std::size_t i = 0; i < static_cast<std::size_t>(result.elements); ++i) add_element(a, b, i, options, result);
  const Squares total = squares_of(a, b, 0, static_cast<std::size_t>(result.elements));
  set_norms(total, result);
  set_worst_row(a, b, total, result);
  return result;
}

}  // namespace goldentrace::testing
