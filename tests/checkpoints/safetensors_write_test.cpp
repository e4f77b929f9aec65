#include <gmock/gmock.h>

#include "tests/checkpoints/safetensors_files.h"

namespace goldentrace {
namespace {

std::vector<std::byte> bytes_of(std::size_t size) { return std::vector<std::byte>(size, std::byte{7}); }

TEST_F(SafetensorsTest, WhatIsWrittenIsReadBack) {
  const auto path = folder() / "out.safetensors";
  const auto six = bytes_of(6), none = bytes_of(0);
  write_safetensors(path, {{"w \"1\"", DType::bfloat16, {3, 1}, six}, {"e", DType::int64, {0}, none}});
  const SafetensorsFile file(path);
  ASSERT_EQ(file.entries().size(), 2u);
  EXPECT_EQ(file.entries()[0].name, "w \"1\"");
  EXPECT_EQ(file.entries()[0].shape, (std::vector<std::int64_t>{3, 1}));
  EXPECT_EQ(file.metadata().at("format"), "pt");
  std::vector<std::byte> back(6);
  file.read(file.entries()[0], back);
  EXPECT_EQ(back, six);
}

TEST_F(SafetensorsTest, RefusesTensorsThatDoNotFitTheirShape) {
  const auto path = folder() / "out.safetensors";
  const auto six = bytes_of(6);
  EXPECT_THROW(write_safetensors(path, {{"w", DType::float32, {3}, six}}), Error);
  EXPECT_THROW(write_safetensors(path, {{"w", DType::uint8, {6}, six}, {"w", DType::uint8, {6}, six}}), Error);
  EXPECT_THROW(write_safetensors(path, {{"w", DType::none, {}, {}}}), Error);
  EXPECT_TRUE(std::filesystem::is_empty(folder()));
}

TEST_F(SafetensorsTest, LeavesNothingBehindWhereItCannotWrite) {
  EXPECT_THROW(write_safetensors(folder() / "absent" / "out", {}), Error);
  EXPECT_THROW(write_safetensors(folder(), {}), Error);
  EXPECT_THROW(write_safetensors("/dev/null", {}), Error);
}

}  // namespace
}  // namespace goldentrace
