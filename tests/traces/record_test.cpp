#include "traces/record.h"

#include <gtest/gtest.h>

#include "traces/error.h"

namespace goldentrace {
namespace {

TEST(Record, CountsElementsAndBytes) {
  EXPECT_EQ(element_count({}), 1);
  EXPECT_EQ(element_count({2, 3}), 6);
  EXPECT_EQ(element_count({2, 0, 3}), 0);
  EXPECT_EQ(byte_count({2, 3}, DType::complex64), 48);
  EXPECT_EQ(byte_count({2, 3}, DType::none), 0);
}

TEST(Record, RefusesImpossibleShapes) {
  constexpr std::int64_t huge = std::int64_t{1} << 62;
  for (const Shape& shape : {Shape{-1}, Shape{2, -3}, Shape{huge, 2}, Shape{0, huge, 4}}) {
    EXPECT_THROW(element_count(shape), Error);
  }
  EXPECT_THROW(byte_count({huge}, DType::float64), Error);
}

}  // namespace
}  // namespace goldentrace
