#include "kernels/ulp.h"

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

template <typename Unsigned>
GOLDENTRACE_INLINE void distances_of(const std::byte* a, const std::byte* b, std::size_t count, std::uint64_t* out) {
  using Signed = std::make_signed_t<Unsigned>;
  for (std::size_t i = 0; i < count; ++i) {
    const Unsigned x = ordered(load<Unsigned>(a, i)), y = ordered(load<Unsigned>(b, i));
    const bool x_larger = static_cast<Signed>(x) > static_cast<Signed>(y);
    out[i] = static_cast<Unsigned>(x_larger ? x - y : y - x);
  }
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
void ulp_distances(const std::byte* a, const std::byte* b, DType dtype, std::size_t count, std::uint64_t* distances) {
  switch (item_size(dtype)) {
    case 2:
      return distances_of<std::uint16_t>(a, b, count, distances);
    case 4:
      return distances_of<std::uint32_t>(a, b, count, distances);
    default:
      return distances_of<std::uint64_t>(a, b, count, distances);
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
