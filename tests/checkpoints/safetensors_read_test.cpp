#include <array>
#include <bit>

#include "tests/checkpoints/safetensors_files.h"

namespace goldentrace {
namespace {

TEST_F(SafetensorsTest, ReadsEntriesInHeaderOrderWhateverTheirOffsets) {
  const std::string json = R"({"__metadata__":{"format":"pt"},"late":{"dtype":"F32","shape":[1],"data_offsets":[4,8]},)"
                           R"("early":{"dtype":"I16","shape":[2,1],"data_offsets":[0,4]}}   )";
  const SafetensorsFile file(write_text(with_header(json, std::string("\1\0\2\0\0\0\x80\x3f", 8))));
  ASSERT_EQ(file.entries().size(), 2u);
  EXPECT_EQ(file.entries()[0].name, "late");
  EXPECT_EQ(file.entries()[0].dtype, DType::float32);
  EXPECT_EQ(file.entries()[1].shape, (std::vector<std::int64_t>{2, 1}));
  EXPECT_EQ(file.metadata().at("format"), "pt");
  std::array<std::byte, 4> bytes{};
  file.read(*file.find("late"), bytes);
  EXPECT_EQ(std::bit_cast<float>(bytes), 1.0f);
  EXPECT_EQ(file.find("absent"), nullptr);
}

TEST_F(SafetensorsTest, ReadsEveryElementTypeAndEmptyAndScalarTensors) {
  const std::string json =
      R"({"b":{"dtype":"BF16","shape":[],"data_offsets":[0,2]},"h":{"dtype":"F16","shape":[1],"data_offsets":[2,4]},)"
      R"("t":{"dtype":"BOOL","shape":[1,1,1],"data_offsets":[4,5]},"u":{"dtype":"U8","shape":[1],"data_offsets":[5,6]},)"
      R"("n":{"dtype":"F64","shape":[0,9223372036854775807,9],"data_offsets":[6,6]},)"
      R"("i":{"dtype":"I64","shape":[1],"data_offsets":[6,14]}})";
  const SafetensorsFile file(write_text(with_header(json, std::string(14, 'x'))));
  EXPECT_EQ(file.find("b")->dtype, DType::bfloat16);
  EXPECT_TRUE(file.find("b")->shape.empty());
  EXPECT_EQ(file.find("t")->dtype, DType::boolean);
  EXPECT_EQ(file.find("n")->size, 0u);
  EXPECT_EQ(file.find("i")->dtype, DType::int64);
}

TEST_F(SafetensorsTest, AFileWithoutTensorsIsLegal) {
  EXPECT_TRUE(SafetensorsFile(write_text(with_header("{}", ""))).entries().empty());
}

// The length of this header begins with the byte '{' and must not be taken for JSON text.
TEST_F(SafetensorsTest, AHeaderOf123BytesIsNotTakenForAnotherFormat) {
  std::string json = "{}";
  json.resize('{', ' ');
  EXPECT_NO_THROW(SafetensorsFile(write_text(with_header(json, ""))));
}

TEST_F(SafetensorsTest, AMovedFileStillReads) {
  SafetensorsFile first(write_text(with_header(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", "q")));
  const SafetensorsFile second = std::move(first);
  std::array<std::byte, 1> bytes{};
  second.read(*second.find("a"), bytes);
  EXPECT_EQ(static_cast<char>(bytes[0]), 'q');
}

}  // namespace
}  // namespace goldentrace
