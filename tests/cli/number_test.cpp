#include "cli/number.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

namespace goldentrace {
namespace {

TEST(Decimal, GivesTheSameValueBack) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 2000; ++i) {
    const double value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    EXPECT_EQ(std::strtod(decimal(value).c_str(), nullptr), value);
  }
}

TEST(Decimal, AFloatKeepsItsExactValue) {
  EXPECT_EQ(decimal(0.1F), "0.10000000149011612");
  EXPECT_EQ(decimal(1.1098170280456543), "1.1098170280456543");
  EXPECT_EQ(decimal(-2), "-2");
  EXPECT_EQ(decimal(-0.0), "-0");
}

TEST(Decimal, NamesWhatIsNotFinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(decimal(infinity), "inf");
  EXPECT_EQ(decimal(-infinity), "-inf");
  EXPECT_EQ(decimal(-std::numeric_limits<double>::quiet_NaN()), "nan");
}

TEST(JsonNumber, KeepsNonFiniteValuesApart) {
  EXPECT_EQ(json_number(0.5).dump(), "0.5");
  EXPECT_EQ(json_number(std::numeric_limits<double>::quiet_NaN()).dump(), "\"NaN\"");
  EXPECT_EQ(json_number(-std::numeric_limits<double>::infinity()).dump(), "\"-Infinity\"");
}

TEST(HumanBytes, DecimalUnits) {
  EXPECT_EQ(human_bytes(999), "999 bytes");
  EXPECT_EQ(human_bytes(1500), "1.5 kB");
  EXPECT_EQ(human_bytes(999'960), "1.0 MB");
}

}  // namespace
}  // namespace goldentrace
