#include "recorder/level.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/support/temporary_folder.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

class LevelTest : public testing::Test {
 protected:
  void write(const std::string& word) { std::ofstream(file()) << word; }
  std::filesystem::path file() const { return folder_ / "level"; }

  testing_support::TemporaryFolder folder_;
};

TEST_F(LevelTest, ChangesWithTheNextStep) {
  Level level(Capture::full, {});
  EXPECT_EQ(level.begin_step(0), Capture::full);
  level.ask(Capture::off);
  EXPECT_EQ(level.begin_step(1), Capture::off);
  level.ask(Capture::sketch);
  EXPECT_EQ(level.begin_step(7), Capture::sketch);
  EXPECT_EQ(level.changes(), "1:off,7:sketch");
}

TEST_F(LevelTest, TheFileSaysAWord) {
  Level level(Capture::full, file());
  EXPECT_EQ(level.begin_step(0), Capture::full);
  write("sketch\n");
  EXPECT_EQ(level.begin_step(1), Capture::sketch);
  std::filesystem::remove(file());
  EXPECT_EQ(level.begin_step(2), Capture::sketch);
  write("off");
  EXPECT_EQ(level.begin_step(3), Capture::off);
}

TEST_F(LevelTest, TheLastWordCounts) {
  write("sketch");
  Level level(Capture::full, file());
  EXPECT_EQ(level.begin_step(0), Capture::sketch);
  level.ask(Capture::full);
  EXPECT_EQ(level.begin_step(1), Capture::full) << "the file has not changed since";
}

TEST_F(LevelTest, OtherWordsChangeNothingAndAreCounted) {
  Level level(Capture::full, file(), Capture::check);
  write("");
  EXPECT_EQ(level.begin_step(0), Capture::full);
  EXPECT_EQ(level.refusals(), "");
  write("check");
  EXPECT_EQ(level.begin_step(1), Capture::full);
  EXPECT_EQ(level.refusals(), "the word 'check' changed nothing");
  EXPECT_EQ(level.begin_step(2), Capture::full);
  EXPECT_EQ(level.refusals(), "the word 'check' changed nothing") << "it stands there still";
  write("everything");
  EXPECT_EQ(level.begin_step(3), Capture::full);
  write("off");
  EXPECT_EQ(level.begin_step(4), Capture::off);
  EXPECT_EQ(level.refusals(), "2 times a word changed nothing, the last was 'everything'");
  EXPECT_EQ(level.changes(), "4:off");
}

// One that waits for ever, that never ends or that is none: the level stays, and at the end it is said.
TEST_F(LevelTest, APathThatCannotBeReadHoldsNothingUp) {
  const auto refusals_of = [&](const std::filesystem::path& path) {
    Level level(Capture::full, path);
    EXPECT_EQ(level.begin_step(0), Capture::full) << path;
    return level.refusals();
  };
  std::filesystem::create_directory(folder_ / "folder");
  std::filesystem::create_symlink("loop", folder_ / "loop");
  std::filesystem::create_symlink("pipe", folder_ / "to_pipe");
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  write("full");
  EXPECT_EQ(refusals_of(folder_ / "folder"), "could not be read: is a folder");
  EXPECT_EQ(refusals_of(folder_ / "pipe"), "could not be read: is a pipe");
  EXPECT_EQ(refusals_of(folder_ / "to_pipe"), "could not be read: is a pipe");
  EXPECT_EQ(refusals_of("/dev/zero"), "could not be read: is a device");
  EXPECT_EQ(refusals_of(folder_ / "loop" / "x"), "could not be read: Too many levels of symbolic links");
  EXPECT_EQ(refusals_of(file() / "x"), "could not be read: Not a directory");
  EXPECT_EQ(refusals_of(folder_ / "absent" / "x"), "");
}

TEST_F(LevelTest, OfALargeFileOnlyTheBeginningIsRead) {
  write("");
  std::filesystem::resize_file(file(), std::uintmax_t{1} << 40);
  Level level(Capture::full, file());
  EXPECT_EQ(level.begin_step(0), Capture::full);
  EXPECT_EQ(level.refusals(), "the word '" + std::string(32, '\0') + "' changed nothing");
}

TEST(CaptureWords, AreReadAndWritten) {
  for (const Capture capture : {Capture::full, Capture::sketch, Capture::check, Capture::off}) {
    EXPECT_EQ(parse_capture(name(capture)), capture);
  }
  for (const WhenFull when_full : {WhenFull::block, WhenFull::sketch}) {
    EXPECT_EQ(parse_when_full(name(when_full)), when_full);
  }
  try {
    parse_capture("half");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("full, sketch, check, off"));
  }
}

}  // namespace
}  // namespace goldentrace
