#include "kernels/ulp.h"

#include <cstring>

#include "kernels/half.h"
#include "kernels/vector_code.h"

namespace goldentrace {
namespace {

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

std::uint64_t find_ulp_buckets(const std::byte* a, const std::byte* b, DType dtype, std::size_t count,
                               std::uint8_t* buckets) {
  return vector_code().ulp_buckets(a, b, item_size(dtype), count, buckets);
}

void count_buckets(const std::uint8_t* buckets, std::size_t count, std::array<std::int64_t, ulp_buckets>& histogram) {
  vector_code().count_buckets(buckets, count, histogram.data());
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
