#include "checkpoints/zip_file.h"

#include <gmock/gmock.h>

#include <fstream>

#include "checkpoints/crc32.h"
#include "tests/checkpoints/archives.h"
#include "tests/support/file_damage.h"

namespace goldentrace {
namespace {

using ::testing::HasSubstr;
using namespace testing_support;

class ZipFileTest : public TorchArchiveTest {
 protected:
  void SetUp() override { write({{"a/one", "first"}, {"a/two", std::string(1000, 'x')}, {"a/empty", ""}}); }

  std::string zip_refusal() const {
    try {
      const ZipFile file(path());
      for (const ZipEntry& entry : file.entries()) file.check(entry);
    } catch (const Error& error) {
      return error.what();
    }
    ADD_FAILURE() << "read";
    return {};
  }
  // Overwrites 2 bytes of the central directory's first entry.
  void change_directory(std::size_t at, const std::string& bytes) const {
    const std::string file = read_file(path());
    overwrite(path(), file.find("PK\x01\x02") + at, bytes);
  }
};

TEST(Crc32, CheckValueOfTheStandard) {
  const std::string_view digits = "123456789";
  EXPECT_EQ(crc32(std::as_bytes(std::span(digits))), 0xcbf43926u);
}

TEST(Crc32, ContinuesFromAPartAndAgreesBitByBit) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += static_cast<char>(i * 7);
  std::uint32_t slow = 0xffffffff;
  for (const char c : text) {
    slow ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) slow = (slow >> 1) ^ ((slow & 1) != 0 ? 0xedb88320u : 0);
  }
  const auto bytes = std::as_bytes(std::span(text));
  EXPECT_EQ(crc32(bytes), ~slow);
  for (const std::size_t cut : {0, 1, 15, 16, 17, 999})
    EXPECT_EQ(crc32(bytes.subspan(cut), crc32(bytes.first(cut))), ~slow);
}

TEST_F(ZipFileTest, GivesTheBytesOfEachEntry) {
  const ZipFile file(path());
  ASSERT_EQ(file.entries().size(), 3u);
  const auto data = file.data(*file.find("a/one"));
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(data.data()), data.size()), "first");
  EXPECT_EQ(file.find("a/two")->size, 1000u);
  EXPECT_EQ(file.find("a/two")->offset % 64, 0u);
  EXPECT_EQ(file.find("a/three"), nullptr);
  for (const ZipEntry& entry : file.entries()) EXPECT_NO_THROW(file.check(entry));
}

TEST_F(ZipFileTest, CutAnywhereIsTruncated) {
  const std::string whole = read_file(path());
  for (std::size_t size = 4; size < whole.size(); size += 3) {
    write_file(path(), whole.substr(0, size));
    EXPECT_THAT(zip_refusal(), HasSubstr("truncated (" + std::to_string(size) + " bytes)"));
  }
  write_file(path(), "");
  EXPECT_THAT(zip_refusal(), HasSubstr("empty file"));
}

TEST_F(ZipFileTest, AFlippedDataByteIsNamedWithItsEntry) {
  flip_byte(path(), ZipFile(path()).find("a/two")->offset + 500);
  EXPECT_THAT(zip_refusal(), HasSubstr("CRC mismatch in a/two"));
}

TEST_F(ZipFileTest, ImpossibleDirectoriesAreRefused) {
  change_directory(10, "\x08");
  EXPECT_THAT(zip_refusal(), HasSubstr("entry a/one: is compressed"));
  SetUp();
  change_directory(8, "\x01");
  EXPECT_THAT(zip_refusal(), HasSubstr("is encrypted"));
  SetUp();
  change_directory(20, "\x04\x00\x00\x00\x04"s);
  EXPECT_THAT(zip_refusal(), HasSubstr("CRC mismatch in a/one"));
  SetUp();
  change_directory(20, "\xf0\xff\xff\xf0\xf0\xff\xff\xf0");
  EXPECT_THAT(zip_refusal(), HasSubstr("needs 4043309040 bytes"));
  SetUp();
  change_directory(42, "\x01");
  EXPECT_THAT(zip_refusal(), HasSubstr("has no local header"));
  SetUp();
  change_directory(42, "\xff\xff\xff\x7f");
  EXPECT_THAT(zip_refusal(), HasSubstr("its header lies outside the file"));
  SetUp();
  change_directory(24, "\xff\xff\xff\xff");
  EXPECT_THAT(zip_refusal(), HasSubstr("stored size differs"));
}

TEST_F(ZipFileTest, EqualNamesAreRefused) {
  write({{"a/x", "1"}, {"a/x", "2"}});
  EXPECT_THAT(zip_refusal(), HasSubstr("entry a/x: named twice"));
}

TEST_F(ZipFileTest, OtherFilesAreRecognised) {
  write_file(path(), "version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 5\n");
  EXPECT_THAT(zip_refusal(), HasSubstr("looks like a git-lfs pointer; fetch the file with git lfs pull"));
  write_file(path(), "<!DOCTYPE html><html>");
  EXPECT_THAT(zip_refusal(), HasSubstr("not a torch.save archive (HTML"));
  write_file(path(), "\x80\x02\x8a\nlF\xf9");
  EXPECT_THAT(zip_refusal(), HasSubstr("torch.save's format before 1.6"));
  EXPECT_THROW(ZipFile{folder()}, Error);
  EXPECT_THROW(ZipFile{folder() / "absent"}, Error);
}

TEST_F(ZipFileTest, Zip64FieldsAreRead) {
  {
    SequentialFile file(path());
    ZipWriter zip(file);
    zip.add("a/first", std::as_bytes(std::span("12345", 5)));
    zip.finish();
    file.finish();
  }
  // The archive again with its sizes moved into zip64 fields: what a writer of large files makes.
  const std::string small = read_file(path());
  const std::size_t central = small.find("PK\x01\x02"), end = small.find("PK\x05\x06");
  std::string entry = small.substr(central, end - central);
  std::string extra;
  append_little_endian(extra, std::uint16_t{1});
  append_little_endian(extra, std::uint16_t{24});
  append_little_endian(extra, std::uint64_t{5});
  append_little_endian(extra, std::uint64_t{5});
  append_little_endian(extra, std::uint64_t{0});
  for (const std::size_t at : {20, 24, 42}) entry.replace(at, 4, "\xff\xff\xff\xff");
  entry.replace(30, 2, std::string("\x1c\0", 2));
  entry += extra;
  std::string whole = small.substr(0, central) + entry;
  std::string tail = "PK\x06\x06";
  append_little_endian(tail, std::uint64_t{44});
  append_little_endian(tail, std::uint32_t{0});
  append_little_endian(tail, std::uint64_t{0});
  append_little_endian(tail, std::uint64_t{1});
  append_little_endian(tail, std::uint64_t{1});
  append_little_endian(tail, std::uint64_t{entry.size()});
  append_little_endian(tail, std::uint64_t{central});
  tail += "PK\x06\x07"s + std::string(4, '\0');
  append_little_endian(tail, std::uint64_t{whole.size()});
  append_little_endian(tail, std::uint32_t{1});
  tail += "PK\x05\x06"s + std::string(4, '\0') + std::string(12, '\xff') + std::string(2, '\0');
  write_file(path(), whole + tail);
  const ZipFile file(path());
  ASSERT_EQ(file.entries().size(), 1u);
  EXPECT_EQ(file.entries()[0].size, 5u);
  EXPECT_NO_THROW(file.check(file.entries()[0]));
}

}  // namespace
}  // namespace goldentrace
