#include "kernels/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/kernels/tensors.h"

namespace goldentrace {
namespace {

using testing::decode;

template <typename Widen>
void expect_every_pattern(Widen widen, int exponent_bits, int fraction_bits) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const double expected = decode(bits, exponent_bits, fraction_bits);
    const float actual = widen(static_cast<std::uint16_t>(bits));
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(actual)) << bits;
    } else {
      EXPECT_EQ(expected, actual) << bits;
      EXPECT_EQ(std::signbit(expected), std::signbit(actual)) << bits;
    }
  }
}

TEST(Half, WidensEveryPatternExactly) { expect_every_pattern(half_to_float, 5, 10); }
TEST(Bfloat16, WidensEveryPatternExactly) { expect_every_pattern(bfloat16_to_float, 8, 7); }

// Between two neighbours everything goes to the nearer one, ties to the even one.
template <typename Narrow>
void expect_nearest_even(Narrow narrow, int exponent_bits, int fraction_bits) {
  const std::uint32_t infinity = ((1u << exponent_bits) - 1) << fraction_bits;
  for (std::uint32_t bits = 0; bits + 1 < infinity; ++bits) {
    const double low = decode(bits, exponent_bits, fraction_bits);
    const double high = decode(bits + 1, exponent_bits, fraction_bits);
    const double middle = low + (high - low) / 2;
    EXPECT_EQ(narrow(low), bits);
    EXPECT_EQ(narrow(middle), bits + (bits & 1)) << bits;
    EXPECT_EQ(narrow(std::nextafter(middle, 0)), bits) << bits;
    EXPECT_EQ(narrow(std::nextafter(middle, high)), bits + 1) << bits;
    EXPECT_EQ(narrow(-low), bits | 0x8000u);
  }
}

TEST(Half, NarrowsToNearestEven) { expect_nearest_even(to_half, 5, 10); }
TEST(Bfloat16, NarrowsToNearestEven) { expect_nearest_even(to_bfloat16, 8, 7); }

TEST(Half, NarrowsSpecialValues) {
  EXPECT_EQ(to_half(INFINITY), 0x7C00);
  EXPECT_EQ(to_half(-INFINITY), 0xFC00);
  EXPECT_EQ(to_half(65519.99), 0x7BFF);
  EXPECT_EQ(to_half(65520), 0x7C00);
  EXPECT_EQ(to_half(1e300), 0x7C00);
  EXPECT_EQ(to_half(-1e-300), 0x8000);
  EXPECT_TRUE(std::isnan(half_to_float(to_half(NAN))));
  EXPECT_TRUE(std::isnan(bfloat16_to_float(to_bfloat16(std::numeric_limits<double>::signaling_NaN()))));
}

}  // namespace
}  // namespace goldentrace
