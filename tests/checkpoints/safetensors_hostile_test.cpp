#include <gmock/gmock.h>

#include <random>

#include "tests/checkpoints/safetensors_files.h"

namespace goldentrace {
namespace {

using ::testing::HasSubstr;

std::string one_tensor(std::string_view dtype, std::string_view shape, std::string_view offsets) {
  return std::string(R"({"w":{"dtype":")") + std::string(dtype) + R"(","shape":)" + std::string(shape) +
         R"(,"data_offsets":)" + std::string(offsets) + "}}";
}

TEST_F(SafetensorsTest, NamesFilesOfOtherKinds) {
  EXPECT_THAT(refusal("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 12\n"),
              HasSubstr("looks like a git-lfs pointer; fetch the file with git lfs pull"));
  EXPECT_THAT(refusal("\n<!DOCTYPE html><html>not found</html>"), HasSubstr("not safetensors (HTML"));
  EXPECT_THAT(refusal(std::string("PK\x03\x04\x00\x00\x08\x08\x00\x00", 10)), HasSubstr("zip archive"));
  EXPECT_THAT(refusal("{\"weight_map\": {}}"), HasSubstr("JSON text"));
  EXPECT_THAT(refusal(std::string(64, '\xff')), HasSubstr("not safetensors (a header of 18446744073709551615 bytes)"));
  EXPECT_THAT(refusal(""), HasSubstr("empty file"));
}

TEST_F(SafetensorsTest, RefusesWhatIsNoFile) {
  EXPECT_THROW(SafetensorsFile(folder() / "absent"), Error);
  EXPECT_THROW(SafetensorsFile{folder()}, Error);
  EXPECT_THROW(SafetensorsFile("/dev/null"), Error);
}

TEST_F(SafetensorsTest, SaysHowMuchIsMissing) {
  const std::string json = one_tensor("F32", "[4]", "[0,16]");
  const std::string whole = with_header(json, std::string(16, 'x'));
  for (std::size_t cut = 1; cut < whole.size(); ++cut)
    EXPECT_THAT(refusal(whole.substr(0, cut)), HasSubstr("truncated: need ")) << cut;
  EXPECT_THAT(refusal(whole.substr(0, whole.size() - 1)),
              HasSubstr("need " + std::to_string(whole.size()) + ", have " + std::to_string(whole.size() - 1)));
  EXPECT_THAT(refusal(whole + "x"), HasSubstr("1 bytes after the last tensor"));
}

TEST_F(SafetensorsTest, RefusesImpossibleOffsetsAndShapesByName) {
  const std::string data(16, 'x');
  const auto refused = [&](std::string_view dtype, std::string_view shape, std::string_view offsets) {
    return refusal(with_header(one_tensor(dtype, shape, offsets), data));
  };
  EXPECT_THAT(refused("F32", "[4]", "[16,0]"), HasSubstr("tensor w: data_offsets are reversed"));
  EXPECT_THAT(refused("F32", "[4]", "[-16,0]"), HasSubstr("tensor w: data_offsets is negative"));
  EXPECT_THAT(refused("F32", "[4]", "[0]"), HasSubstr("tensor w: data_offsets must be two numbers"));
  EXPECT_THAT(refused("F32", "[4]", "[0,8,16]"), HasSubstr("tensor w: data_offsets is too long"));
  EXPECT_THAT(refused("F32", "[4]", "[0,1.6e1]"), HasSubstr("tensor w: data_offsets is no whole number"));
  EXPECT_THAT(refused("F32", "[8]", "[0,32]"), HasSubstr("truncated"));
  EXPECT_THAT(refused("F32", "[3]", "[0,16]"), HasSubstr("tensor w: shape and dtype need 12 bytes"));
  EXPECT_THAT(refused("F32", "[4611686018427387904,4]", "[0,0]"), HasSubstr("tensor w: impossible shape"));
  EXPECT_THAT(refused("F32", "[18446744073709551615]", "[0,0]"), HasSubstr("tensor w: impossible shape"));
  EXPECT_THAT(refused("F32", "[4]", "[18446744073709551600,18446744073709551616]"), HasSubstr("tensor w"));
  EXPECT_THAT(refused("BF17", "[8]", "[0,16]"), HasSubstr("tensor w: unknown dtype BF17"));
  EXPECT_THAT(refused("F32", "[4]", "[4,20]"), HasSubstr("tensor w: a hole of 4 bytes"));
}

TEST_F(SafetensorsTest, RefusesOverlapHolesAndEqualNames) {
  const auto two = [&](std::string_view second, std::string_view offsets) {
    return with_header(std::string(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},")") + std::string(second) +
                           R"(":{"dtype":"U8","shape":[4],"data_offsets":)" + std::string(offsets) + "}}",
                       "12345678");
  };
  EXPECT_NO_THROW(SafetensorsFile(write_text(two("b", "[4,8]"))));
  EXPECT_THAT(refusal(two("b", "[3,7]")), HasSubstr("tensor b: overlaps"));
  EXPECT_THAT(refusal(two("b", "[0,4]")), HasSubstr("overlaps"));
  EXPECT_THAT(refusal(two("b", "[5,9]")), HasSubstr("tensor b: a hole"));
  EXPECT_THAT(refusal(two("a", "[4,8]")), HasSubstr("tensor a: named twice"));
}

TEST_F(SafetensorsTest, RefusesHeadersOfAnotherGrammar) {
  const auto refused = [&](std::string_view json) { return refusal(with_header(json, "")); };
  EXPECT_THAT(refused("[]"), HasSubstr("does not begin with {"));
  EXPECT_THAT(refused(" {}"), HasSubstr("does not begin with {"));
  EXPECT_THAT(refused("{} {}"), HasSubstr("no valid JSON"));
  EXPECT_THAT(refused("{\"a\":"), HasSubstr("no valid JSON"));
  EXPECT_THAT(refused("{\"\xff\":{}}"), HasSubstr("no valid JSON"));
  EXPECT_THAT(refused(R"({"__metadata__":null})"), HasSubstr("__metadata__ is null"));
  EXPECT_THAT(refused(R"({"__metadata__":1})"), HasSubstr("__metadata__ is a number"));
  EXPECT_THAT(refused(R"({"__metadata__":{"a":{}}})"), HasSubstr("__metadata__ a is an object"));
  EXPECT_THAT(refused(R"({"__metadata__":{"a":"1","a":"2"}})"), HasSubstr("a twice"));
  EXPECT_THAT(refused(R"({"__metadata__":{},"__metadata__":{}})"), HasSubstr("__metadata__ twice"));
  EXPECT_THAT(refused(R"({"w":[]})"), HasSubstr("w is a list"));
  EXPECT_THAT(refused(R"({"w":{"dtype":"U8","shape":[]}})"), HasSubstr("tensor w: no data_offsets"));
  EXPECT_THAT(refused(R"({"w":{"dtype":"U8","dtype":"U8"}})"), HasSubstr("tensor w: dtype twice"));
  EXPECT_THAT(refused(R"({"w":{"dtype":"U8","shape":[],"data_offsets":[0,1],"more":1}})"),
              HasSubstr("more is a number"));
  EXPECT_THAT(refused(R"({"w":{"shape":[[1]]}})"), HasSubstr("tensor w: shape is a list"));
  EXPECT_THAT(refused(R"({"w":{"shape":)" + std::string(100000, '[')), HasSubstr("is a list"));
  EXPECT_THAT(refused("{\"a\\n\\u001b[31m\":7}"), HasSubstr("a??[31m is a number"));
}

// Any flipped byte of the header gives a sentence or a file whose entries are inside it.
TEST_F(SafetensorsTest, AFlippedByteNeverLeadsOutside) {
  const std::string whole = with_header(one_tensor("F32", "[2,2]", "[0,16]"), std::string(16, 'x'));
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string flipped = whole;
    flipped[random() % flipped.size()] ^= static_cast<char>(1u << random() % 8);
    try {
      const SafetensorsFile file(write_text(flipped));
      for (const SafetensorsEntry& entry : file.entries()) {
        std::vector<std::byte> bytes(entry.size);
        file.read(entry, bytes);
      }
    } catch (const Error&) {
    }
  }
}

}  // namespace
}  // namespace goldentrace
