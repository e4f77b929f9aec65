#include "traces/elements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "tests/traces/sample_trace.h"

namespace goldentrace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsNan;
using testing_support::bytes_of;

TEST(Elements, HalvesAreExact) {
  const std::vector<std::uint16_t> bits{0x3c00, 0xc000, 0x0001, 0x03ff, 0x7bff, 0x8000, 0x7c00, 0xfc00, 0x7e00, 0x3555};
  EXPECT_THAT(to_numbers(bytes_of(bits), DType::float16),
              ElementsAre(1, -2, std::ldexp(1, -24), std::ldexp(1023, -24), 65504, 0, HUGE_VAL, -HUGE_VAL, IsNan(),
                          0.333251953125));
  EXPECT_TRUE(std::signbit(to_numbers(bytes_of(bits), DType::float16)[5]));
}

TEST(Elements, EveryKindOfNumber) {
  EXPECT_THAT(to_numbers(bytes_of<std::uint16_t>({0x3f80, 0xc040, 0xff80, 0x7fc0}), DType::bfloat16),
              ElementsAre(1, -3, -HUGE_VAL, IsNan()));
  EXPECT_THAT(to_numbers(bytes_of<float>({1.5f, -0.1f}), DType::float32), ElementsAre(1.5, -0.1f));
  EXPECT_THAT(to_numbers(bytes_of<float>({1.5f, -0.1f}), DType::complex64), ElementsAre(1.5, -0.1f));
  EXPECT_THAT(to_numbers(bytes_of<double>({0.1}), DType::float64), ElementsAre(0.1));
  EXPECT_THAT(to_numbers(bytes_of<std::int64_t>({-5}), DType::int64), ElementsAre(-5));
  EXPECT_THAT(to_numbers(bytes_of<std::uint8_t>({200}), DType::uint8), ElementsAre(200));
  EXPECT_THAT(to_numbers(bytes_of<std::uint8_t>({200}), DType::int8), ElementsAre(-56));
  EXPECT_THAT(to_numbers(bytes_of<std::uint8_t>({0, 1, 7}), DType::boolean), ElementsAre(0, 1, 1));
  EXPECT_THAT(to_numbers(bytes_of<std::uint8_t>({1, 2}), DType::float8_e5m2), IsEmpty());
  EXPECT_EQ(numbers_in(16, DType::complex64), 4u);
  EXPECT_EQ(numbers_in(16, DType::float8_e5m2), 0u);
}

}  // namespace
}  // namespace goldentrace
