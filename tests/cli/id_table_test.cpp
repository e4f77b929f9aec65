#include "cli/id_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "traces/error.h"

namespace goldentrace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class IdTableTest : public testing::Test {
 protected:
  IdTableTest() { std::filesystem::create_directories(folder_); }
  ~IdTableTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }

  std::string refusal(const std::string& name, const std::string& bytes) const {
    try {
      read_id_table(write(name, bytes));
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  }

  std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) / ("ids" + std::to_string(::getpid()));
};

std::string npy(const std::string& descriptor, const std::string& shape, const std::string& data,
                const std::string& order = "False") {
  const std::string head =
      "{'descr': '" + descriptor + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(head.size());
  bytes += '\0';
  return bytes + head + data;
}

std::string int64s(std::initializer_list<std::int64_t> values) {
  std::string bytes(values.size() * 8, '\0');
  std::memcpy(bytes.data(), values.begin(), bytes.size());
  return bytes;
}

TEST_F(IdTableTest, NumbersInText) {
  const IdTable flat = read_id_table(write("a.txt", "1 2, 3\n4\n"));
  EXPECT_THAT(flat.shape, ElementsAre(4));
  EXPECT_THAT(flat.values, ElementsAre(1, 2, 3, 4));
  const IdTable table = read_id_table(write("b.txt", "1 2 3\n\n4 5 -100\n"));
  EXPECT_THAT(table.shape, ElementsAre(2, 3));
  EXPECT_THAT(table.values, ElementsAre(1, 2, 3, 4, 5, -100));
}

TEST_F(IdTableTest, Npy) {
  const IdTable table = read_id_table(write("a.npy", npy("<i8", "(2, 2)", int64s({1, 2, 3, -4}))));
  EXPECT_THAT(table.shape, ElementsAre(2, 2));
  EXPECT_THAT(table.values, ElementsAre(1, 2, 3, -4));
  EXPECT_THAT(read_id_table(write("b.npy", npy("|b1", "(2,)", std::string("\1\0", 2)))).values, ElementsAre(1, 0));
}

TEST_F(IdTableTest, TextBytes) {
  const IdTable table = read_text_bytes(write("t.txt", "a\xff"));
  EXPECT_THAT(table.values, ElementsAre(97, 255));
}

TEST_F(IdTableTest, RefusesBadText) {
  EXPECT_THAT(refusal("a.txt", "1 two"), HasSubstr("line 1: 'two' is no integer"));
  EXPECT_THAT(refusal("a.txt", "1.5"), HasSubstr("is no integer"));
  EXPECT_THAT(refusal("a.txt", "\n \n"), HasSubstr("holds no numbers"));
  EXPECT_THAT(refusal("a.txt", ""), HasSubstr("is empty"));
  EXPECT_THAT(refusal("a.txt", "99999999999999999999"), HasSubstr("is no integer"));
}

TEST_F(IdTableTest, RefusesBadNpy) {
  const std::string good = npy("<i8", "(2, 2)", int64s({1, 2, 3, 4}));
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_NE(refusal("cut.npy", good.substr(0, size)), "accepted") << size;
  }
  EXPECT_THAT(refusal("a.npy", good + "x"), HasSubstr("size does not fit"));
  EXPECT_THAT(refusal("a.npy", npy("<f4", "(1,)", "abcd")), HasSubstr("not integers"));
  EXPECT_THAT(refusal("a.npy", npy(">i8", "(1,)", int64s({1}))), HasSubstr("not integers"));
  EXPECT_THAT(refusal("a.npy", npy("<i8", "(2, 1)", int64s({1, 2}), "True")), HasSubstr("Fortran"));
  EXPECT_THAT(refusal("a.npy", npy("<i8", "()", int64s({1}))), HasSubstr("dimensions"));
  EXPECT_THAT(refusal("a.npy", npy("<i8", "(4611686018427387904, 4)", int64s({1}))), HasSubstr("truncated"));
  EXPECT_THAT(refusal("a.npy", npy("<i8", "(-1,)", int64s({1}))), HasSubstr("shape"));
}

TEST_F(IdTableTest, RefusesWhatIsNoFile) {
  EXPECT_THROW(read_id_table(folder_ / "absent.txt"), Error);
  EXPECT_THROW(read_id_table(folder_), Error);
}

}  // namespace
}  // namespace goldentrace
