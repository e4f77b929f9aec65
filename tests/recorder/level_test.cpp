#include "recorder/level.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST_F(LevelTest, OtherWordsChangeNothing) {
  Level level(Capture::full, file(), Capture::check);
  write("");
  EXPECT_EQ(level.begin_step(0), Capture::full);
  EXPECT_EQ(level.refused_word(), "");
  write("check");
  EXPECT_EQ(level.begin_step(1), Capture::full);
  EXPECT_EQ(level.refused_word(), "check");
  write("everything");
  EXPECT_EQ(level.begin_step(2), Capture::full);
  EXPECT_EQ(level.refused_word(), "everything");
  EXPECT_EQ(level.changes(), "");
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
