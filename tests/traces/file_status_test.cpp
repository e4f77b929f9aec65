// What the system refuses to say is an Error that names the path, never an exception of the standard library.
#include "traces/file_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tests/support/temporary_folder.h"
#include "traces/error.h"
#include "traces/recover.h"

namespace goldentrace {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class FileStatus : public testing::Test {
 protected:
  FileStatus() {
    std::ofstream(folder_ / "b.file");
    std::ofstream(folder_ / "a.file");
    fs::create_directory(folder_ / "c.folder");
    fs::create_symlink(loop_, loop_);
  }

  template <typename Ask>
  static void expect_error(const fs::path& path, const Ask& ask) {
    try {
      ask(path);
      ADD_FAILURE() << "no error for " << path;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::input_output);
      EXPECT_THAT(error.what(), HasSubstr(path.string()));
    }
  }

  const testing_support::TemporaryFolder temporary_;
  const fs::path folder_ = temporary_.path();
  const fs::path loop_ = folder_ / "loop";
};

TEST_F(FileStatus, SaysWhatIsThere) {
  EXPECT_TRUE(is_there(folder_ / "a.file") && is_file(folder_ / "a.file") && !is_folder(folder_ / "a.file"));
  EXPECT_TRUE(is_there(folder_ / "c.folder") && is_folder(folder_ / "c.folder") && !is_file(folder_ / "c.folder"));
  EXPECT_FALSE(is_there(folder_ / "none") || is_file(folder_ / "none") || is_folder(folder_ / "none"));
  EXPECT_FALSE(is_there(folder_ / "a.file" / "none"));
}

TEST_F(FileStatus, AnAnswerThatTheSystemRefusesIsAnError) {
  const fs::path too_long = folder_ / std::string(300, 'x');
  for (const fs::path& path : {loop_, too_long}) {
    expect_error(path, [](const fs::path& each) { is_there(each); });
    expect_error(path, [](const fs::path& each) { is_file(each); });
    expect_error(path, [](const fs::path& each) { is_folder(each); });
    expect_error(path, [](const fs::path& each) { changed_at(each); });
    expect_error(path, [](const fs::path& each) { entries(each); });
    expect_error(path, [](const fs::path& each) { size_of_file(each); });
  }
  expect_error(too_long, [](const fs::path& each) { make_folder(each); });
  expect_error(folder_ / "none", [](const fs::path& each) { entries(each); });
  expect_error(folder_ / "none", [](const fs::path& each) { changed_at(each); });
}

TEST_F(FileStatus, EntriesAreSorted) {
  EXPECT_THAT(entries(folder_),
              ElementsAre(folder_ / "a.file", folder_ / "b.file", folder_ / "c.folder", folder_ / "loop"));
}

TEST_F(FileStatus, MakesAFolderOnce) {
  make_folder(folder_ / "new");
  make_folder(folder_ / "new");
  EXPECT_TRUE(is_folder(folder_ / "new"));
}

TEST_F(FileStatus, RecoveryOfALoopIsAnError) {
  fs::create_symlink("loop.h5.journal", folder_ / "loop.h5.journal");
  expect_error(folder_ / "loop.h5", [](const fs::path& each) { journals_of(each); });
}

}  // namespace
}  // namespace goldentrace
