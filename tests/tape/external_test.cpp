#include "tape/external.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tape/strided.h"
#include "tests/tape/tape_recorder.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

using testing::HasSubstr;

TapeValue external(DType dtype, Shape shape, Shape strides, std::int64_t offset, std::int32_t storage) {
  return {.source = ValueSource::external,
          .storage = storage,
          .dtype = dtype,
          .shape = std::move(shape),
          .strides = std::move(strides),
          .offset = offset};
}

std::string failure(const TapeValue& value, const ExternalContent& content) {
  Tape tape;
  tape.values.push_back(value);
  try {
    restore_externals(tape, {content});
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(External, StridesOffsetsAndSharedStorage) {
  const at::Tensor base = at::arange(24, at::kFloat).view({4, 6});
  const at::Tensor block = base.slice(0, 1, 3).slice(1, 2, 6, 2);
  Tape tape;
  tape.values.push_back(external(DType::float32, {2, 2}, {6, 2}, 8, 0));
  tape.values.push_back(external(DType::float32, {4, 6}, {6, 1}, 0, 0));
  tape.values.push_back(external(DType::float32, {6, 4}, {1, 6}, 0, -1));
  const auto b0 = bytes_of(block), b1 = bytes_of(base), b2 = bytes_of(base.t());
  const auto made = restore_externals(
      tape, {{DType::float32, {2, 2}, b0}, {DType::float32, {4, 6}, b1}, {DType::float32, {6, 4}, b2}});
  EXPECT_TRUE(bit_equal(made[0], block));
  EXPECT_TRUE(bit_equal(made[1], base));
  EXPECT_TRUE(bit_equal(made[2], base.t()));
  EXPECT_EQ(made[0].storage_offset(), 8);
  EXPECT_TRUE(made[0].is_alias_of(made[1]));
  EXPECT_FALSE(made[2].is_alias_of(made[1]));
}

TEST(External, SharedStorageOfTwoTypes) {
  const at::Tensor bits = at::arange(4, at::kInt);
  Tape tape;
  tape.values.push_back(external(DType::int32, {4}, {1}, 0, 0));
  tape.values.push_back(external(DType::float32, {4}, {1}, 0, 0));
  const auto bytes = bytes_of(bits);
  const std::vector<ExternalContent> contents = {{DType::int32, {4}, bytes}, {DType::float32, {4}, bytes}};
  const auto made = restore_externals(tape, contents);
  EXPECT_TRUE(bit_equal(made[1], bits.view(at::kFloat)));
  EXPECT_TRUE(made[0].is_alias_of(made[1]));
  EXPECT_THROW(restore_externals(tape, contents, {.dtype = DType::float64, .device = {}}), Error);
}

TEST(External, MovesToAnotherDtype) {
  Tape tape;
  tape.values.push_back(external(DType::bfloat16, {2, 2}, {1, 2}, 1, 0));
  tape.values.push_back(external(DType::int64, {2}, {1}, 0, 1));
  const at::Tensor x = at::randn({2, 2}, at::kBFloat16);
  const auto b0 = bytes_of(x), b1 = bytes_of(at::arange(2));
  const auto made = restore_externals(tape, {{DType::bfloat16, {2, 2}, b0}, {DType::int64, {2}, b1}},
                                      {.dtype = DType::float64, .device = {}});
  EXPECT_TRUE(bit_equal(made[0], x.to(at::kDouble)));
  EXPECT_EQ(made[0].strides(), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(made[1].scalar_type(), at::kLong);
}

TEST(External, ConvertsContentOfAnotherDtype) {
  Tape tape;
  tape.values.push_back(external(DType::float32, {3}, {1}, 0, 0));
  const at::Tensor x = at::randn({3}, at::kBFloat16);
  const auto bytes = bytes_of(x);
  EXPECT_TRUE(bit_equal(restore_externals(tape, {{DType::bfloat16, {3}, bytes}})[0], x.to(at::kFloat)));
}

TEST(External, GradientsByRole) {
  Tape tape;
  tape.values.push_back(external(DType::float32, {2}, {1}, 0, 0));
  tape.values.push_back(external(DType::float32, {2}, {1}, 0, 1));
  tape.values[0].requires_grad = tape.values[1].requires_grad = true;
  tape.values[1].role = Role::param;
  const std::vector<std::byte> bytes(8);
  const auto made = restore_externals(tape, {{DType::float32, {2}, bytes}, {DType::float32, {2}, bytes}});
  EXPECT_TRUE(made[0].requires_grad());
  EXPECT_FALSE(made[0].is_leaf());
  EXPECT_TRUE(made[1].requires_grad());
  EXPECT_TRUE(made[1].is_leaf());
}

TEST(External, RefusesImpossibleDescriptions) {
  const std::vector<std::byte> bytes(8);
  const ExternalContent two{DType::float32, {2}, bytes};
  const auto with = [](Shape strides, std::int64_t offset) {
    return external(DType::float32, {2}, std::move(strides), offset, 0);
  };
  EXPECT_EQ(failure(with({1}, 0), two), "no error");
  EXPECT_THAT(failure(with({-1}, 0), two), HasSubstr("negative"));
  EXPECT_THAT(failure(with({1, 1}, 0), two), HasSubstr("strides than"));
  EXPECT_THAT(failure(with({1}, -5), two), HasSubstr("offset"));
  EXPECT_THAT(failure(with({INT64_MAX}, 0), two), HasSubstr("impossible strides"));
  EXPECT_THAT(failure(external(DType::float32, {3}, {1}, 0, 0), two), HasSubstr("has shape [2], the tape wants [3]"));
  const ExternalContent cut{DType::float32, {2}, std::span(bytes).first(4)};
  EXPECT_THAT(failure(with({1}, 0), cut), HasSubstr("4 bytes"));
}

TEST(Strided, StorageElements) {
  EXPECT_EQ(storage_elements({}, {}, 0), 1);
  EXPECT_EQ(storage_elements({2, 3}, {3, 1}, 4), 10);
  EXPECT_EQ(storage_elements({5, 4}, {0, 1}, 0), 4);
  EXPECT_EQ(storage_elements({5, 0}, {1, 1}, 0), 0);
}

}  // namespace
}  // namespace goldentrace
