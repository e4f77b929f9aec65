#include "kernels/ulp.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "kernels/clones.h"
#include "kernels/element.h"
#include "kernels/half.h"

namespace goldentrace {
namespace {

// Sign and magnitude as one two's complement number.
template <typename Unsigned>
GOLDENTRACE_INLINE Unsigned ordered(Unsigned bits) {
  constexpr Unsigned sign = static_cast<Unsigned>(Unsigned{1} << (8 * sizeof(Unsigned) - 1));
  return static_cast<Unsigned>(bits & sign ? Unsigned{0} - (bits ^ sign) : bits);
}

// Bit width of a distance, by way of a conversion to floating point, which exists for whole vectors. Clearing the
// second highest bit keeps the conversion from rounding up to the next power of two.
GOLDENTRACE_INLINE std::uint32_t bucket_of(std::uint32_t distance) {
  const std::uint32_t half = distance >> 1;  // fits a signed integer
  const auto number = static_cast<float>(static_cast<std::int32_t>(half & ~(half >> 1)));
  const std::uint32_t exponent = std::bit_cast<std::uint32_t>(number) >> 23;
  return (exponent > 126 ? exponent - 126 : 0) + (distance != 0 ? 1 : 0);
}

// Nothing above 2^33 is told apart, and double holds all up to 2^53.
GOLDENTRACE_INLINE std::uint64_t bucket_of(std::uint64_t distance) {
  const std::uint64_t capped = distance < std::uint64_t{1} << 33 ? distance : std::uint64_t{1} << 33;
  const std::uint64_t exponent =
      std::bit_cast<std::uint64_t>(static_cast<double>(static_cast<std::int64_t>(capped))) >> 52;
  const std::uint64_t width = exponent > 1022 ? exponent - 1022 : 0;
  return width < ulp_buckets - 1 ? width : ulp_buckets - 1;
}

// Distance: an unsigned type that holds every distance of the format.
template <typename Unsigned, typename Distance>
GOLDENTRACE_INLINE std::uint64_t buckets_of(const std::byte* a, const std::byte* b, std::size_t count,
                                            std::uint8_t* buckets) {
  using Signed = std::make_signed_t<Unsigned>;
  Distance largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto x = static_cast<Signed>(ordered(load<Unsigned>(a, i)));
    const auto y = static_cast<Signed>(ordered(load<Unsigned>(b, i)));
    const auto forth = static_cast<Distance>(x) - static_cast<Distance>(y);
    const Distance distance = x > y ? forth : Distance{0} - forth;
    largest = distance > largest ? distance : largest;
    buckets[i] = static_cast<std::uint8_t>(bucket_of(distance));
  }
  return largest;
}

int fraction_bits(DType dtype) {
  switch (dtype) {
    case DType::bfloat16:
      return 7;
    case DType::float16:
      return 10;
    case DType::float32:
      return 23;
    default:
      return 52;
  }
}

template <typename Bits, typename Round>
void round_each(const double* values, std::size_t count, std::byte* bytes, Round round) {
  for (std::size_t i = 0; i < count; ++i) {
    const Bits bits = round(values[i]);
    std::memcpy(bytes + i * sizeof bits, &bits, sizeof bits);
  }
}

}  // namespace

GOLDENTRACE_CLONES
std::uint64_t find_ulp_buckets(const std::byte* a, const std::byte* b, DType dtype, std::size_t count,
                               std::uint8_t* buckets) {
  switch (item_size(dtype)) {
    case 2:
      return buckets_of<std::uint16_t, std::uint32_t>(a, b, count, buckets);
    case 4:
      return buckets_of<std::uint32_t, std::uint32_t>(a, b, count, buckets);
    default:
      return buckets_of<std::uint64_t, std::uint64_t>(a, b, count, buckets);
  }
}

// One run over the block for each bucket that can occur in it: no store waits for another, and counts fit in a byte.
GOLDENTRACE_CLONES
void count_buckets(const std::uint8_t* buckets, std::size_t count, std::array<std::int64_t, ulp_buckets>& histogram) {
  constexpr std::size_t block = 128;
  for (std::size_t start = 0; start < count; start += block) {
    const std::size_t end = std::min(count, start + block);
    std::uint8_t low = ulp_buckets - 1, high = 0;
    for (std::size_t i = start; i < end; ++i) {
      low = buckets[i] < low ? buckets[i] : low;
      high = buckets[i] > high ? buckets[i] : high;
    }
    for (std::size_t bucket = low; bucket <= high; ++bucket) {
      std::uint8_t found = 0;
      for (std::size_t i = start; i < end; ++i) found += buckets[i] == bucket ? 1 : 0;
      histogram[bucket] += found;
    }
  }
}

DType coarser(DType a, DType b) { return fraction_bits(a) <= fraction_bits(b) ? a : b; }

void round_to(DType dtype, const double* values, std::size_t count, std::byte* bytes) {
  switch (dtype) {
    case DType::bfloat16:
      return round_each<std::uint16_t>(values, count, bytes, to_bfloat16);
    case DType::float16:
      return round_each<std::uint16_t>(values, count, bytes, to_half);
    case DType::float32:
      return round_each<float>(values, count, bytes, [](double value) { return static_cast<float>(value); });
    default:
      return round_each<double>(values, count, bytes, [](double value) { return value; });
  }
}

}  // namespace goldentrace
