#include "cli/tensor_text.h"

#include <gtest/gtest.h>

#include <complex>
#include <vector>

namespace goldentrace {
namespace {

template <class Element>
std::string text(DType dtype, const Shape& shape, const std::vector<Element>& values, std::int64_t limit = 0) {
  return tensor_text({dtype, shape, std::as_bytes(std::span(values))}, limit);
}

TEST(TensorText, Nested) {
  EXPECT_EQ(text<float>(DType::float32, {3}, {1, -2, 3}), "[1, -2, 3]");
  EXPECT_EQ(text<float>(DType::float32, {2, 2}, {1, 2, 3, 4}), "[[1, 2],\n [3, 4]]");
  EXPECT_EQ(text<float>(DType::float32, {}, {2.5F}), "2.5");
  EXPECT_EQ(text<float>(DType::float32, {2, 0}, {}), "[[],\n []]");
}

TEST(TensorText, LimitCountsElements) {
  EXPECT_EQ(text<float>(DType::float32, {2, 2}, {1, 2, 3, 4}, 3), "[[1, 2],\n [3, …]]");
  EXPECT_EQ(text<float>(DType::float32, {4}, {1, 2, 3, 4}, 4), "[1, 2, 3, 4]");
}

TEST(TensorText, EveryClassOfElement) {
  EXPECT_EQ(text<std::int64_t>(DType::int64, {1}, {9007199254740993}), "[9007199254740993]");
  EXPECT_EQ(text<std::uint64_t>(DType::uint64, {1}, {18446744073709551615U}), "[18446744073709551615]");
  EXPECT_EQ(text<std::int8_t>(DType::int8, {1}, {-5}), "[-5]");
  EXPECT_EQ(text<char>(DType::boolean, {2}, {0, 1}), "[false, true]");
  EXPECT_EQ(text<std::uint16_t>(DType::bfloat16, {1}, {0xc000}), "[-2]");
  EXPECT_EQ(text<std::complex<float>>(DType::complex64, {2}, {{1, 2}, {0, -1}}), "[1+2j, 0-1j]");
  EXPECT_EQ(text<unsigned char>(DType::float8_e4m3fn, {1}, {0x3c}), "[0x3c]");
}

TEST(TypeText, DtypeAndShape) {
  Record record;
  record.shape = {2, 5};
  EXPECT_EQ(type_text(record), "float32[2, 5]");
  record.dtype = DType::none;
  EXPECT_EQ(type_text(record), "None");
}

}  // namespace
}  // namespace goldentrace
