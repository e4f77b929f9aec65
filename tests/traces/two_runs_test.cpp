// Two runs of one name, in one file or in segments: the older one stays until it is replaced, and nothing is mixed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/support/child_process.h"
#include "tests/support/file_damage.h"
#include "tests/support/temporary_folder.h"
#include "tests/traces/journal_jobs.h"
#include "traces/error.h"
#include "traces/recover.h"
#include "traces/trace_reader.h"

namespace goldentrace {
namespace {

using namespace testing_support;
namespace fs = std::filesystem;
using testing::HasSubstr;

class TwoRuns : public testing::Test {
 protected:
  static WriterOptions one_file() { return {}; }
  static WriterOptions long_segments() { return {.segment_bytes = std::uint64_t{1} << 30}; }
  static WriterOptions in_segments() { return {.segment_bytes = 3'000'000}; }

  static void record(TraceWriter& writer, std::int64_t steps) {
    for (std::int64_t step = 0; step < steps; ++step) {
      for (const Job& job : jobs_of(step)) {
        writer.reserve();
        put_job(writer, job);
      }
      writer.commit();
    }
  }
  void record(std::int64_t steps, const WriterOptions& options) const { record(file_, steps, options); }
  static void record(const fs::path& file, std::int64_t steps, const WriterOptions& options) {
    TraceWriter writer(file, options);
    record(writer, steps);
    writer.close();
  }
  // Killed when it has committed `steps` steps.
  void leave_journals(std::int64_t steps, const WriterOptions& options) const {
    Child recorder([&](const auto& ready_and_wait) {
      TraceWriter writer(file_, options);
      record(writer, steps);
      ready_and_wait();
    });
    recorder.kill_now();
  }
  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> files;
    for (const auto& each : fs::directory_iterator(folder_.path())) {
      files[each.path().filename().string()] = read_file(each.path());
    }
    return files;
  }
  template <typename Action>
  static std::string message_of(Action action) {
    try {
      action();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error at all";
  }
  std::string open_message() const {
    return message_of([&] { TraceReader reader(file_); });
  }

  TemporaryFolder folder_, other_;
  fs::path file_ = folder_ / "run.h5";
};

// Whatever is there of an older run, in whichever form the newer one is.
TEST_F(TwoRuns, ARunInSegmentsReplacesNothing) {
  for (const WriterOptions& older : {one_file(), in_segments()}) {
    record(6, older);
    const auto before = files();
    EXPECT_THAT(message_of([&] { record(2, in_segments()); }), HasSubstr("remove"));
    EXPECT_TRUE(files() == before);
    EXPECT_EQ(TraceReader(file_).records().size(), 72u);
    for (const auto& [name, content] : before) fs::remove(folder_ / name);
  }
}

TEST_F(TwoRuns, OneFileDoesNotReplaceSegments) {
  record(6, in_segments());
  const auto before = files();
  const std::string message = message_of([&] { record(2, one_file()); });
  EXPECT_THAT(message, HasSubstr("run.0000.h5"));
  EXPECT_THAT(message, HasSubstr("remove"));
  EXPECT_TRUE(files() == before);
}

TEST_F(TwoRuns, JournalsCountToo) {
  leave_journals(1, long_segments());
  EXPECT_THAT(message_of([&] { record(2, one_file()); }), HasSubstr("run.0000.h5.journal"));
  fs::remove(folder_ / "run.0000.h5.journal");
  leave_journals(1, one_file());
  EXPECT_THAT(message_of([&] { record(2, in_segments()); }), HasSubstr("run.h5.journal"));
}

TEST_F(TwoRuns, ARunOfAnotherNameIsNoHindrance) {
  record(folder_ / "run.0001.h5", 1, one_file());
  record(folder_ / "run.12.h5", 1, one_file());
  record(folder_ / "runs.0000.h5", 1, one_file());
  record(3, one_file());
  record(3, one_file());
  EXPECT_EQ(TraceReader(file_).records().size(), 36u);
}

TEST_F(TwoRuns, AFileBesideSegmentsIsRefusedByBothNames) {
  record(6, in_segments());
  record(other_ / "run.h5", 2, one_file());
  fs::rename(other_ / "run.h5", file_);
  EXPECT_THAT(open_message(), HasSubstr("run.h5: "));
  EXPECT_THAT(open_message(), HasSubstr("run.0000.h5"));
}

TEST_F(TwoRuns, SegmentsOfTwoRunsAreNoTrace) {
  record(6, in_segments());
  record(other_ / "run.h5", 6, in_segments());
  fs::rename(other_ / "run.0002.h5", folder_ / "run.0002.h5");
  EXPECT_THAT(open_message(), HasSubstr("run.0002.h5: belongs to another run than run.0000.h5"));
}

TEST_F(TwoRuns, RecoveryMixesNothing) {
  leave_journals(1, long_segments());
  record(other_ / "run.h5", 6, in_segments());
  fs::rename(other_ / "run.0001.h5", folder_ / "run.0001.h5");
  const auto before = files();
  const fs::path journal = folder_ / "run.0000.h5.journal";
  for (const auto replace : {RecoverOptions::Replace::older_only, RecoverOptions::Replace::always}) {
    EXPECT_THAT(message_of([&] { recover_journal(journal, {.replace = replace}); }),
                HasSubstr("run.0001.h5: belongs to another run"));
  }
  EXPECT_TRUE(files() == before);
  EXPECT_EQ(recover_journal(journal, {.output = folder_ / "elsewhere.h5"}).records, 12u);
}

TEST_F(TwoRuns, RecoveryPutsNoFileBesideSegments) {
  leave_journals(1, one_file());
  const fs::path journal = folder_ / "run.h5.journal";
  fs::rename(journal, other_ / "journal");
  record(6, in_segments());
  fs::rename(other_ / "journal", journal);
  EXPECT_THAT(message_of([&] { recover_journal(journal); }), HasSubstr("run.0000.h5"));
  EXPECT_FALSE(fs::exists(file_));
  EXPECT_TRUE(fs::exists(journal));
}

TEST_F(TwoRuns, ASegmentSaysItsRun) {
  record(6, in_segments());
  const std::string run = TraceReader(folder_ / "run.0000.h5").header().at("segment.run");
  EXPECT_EQ(run.size(), 16u);
  EXPECT_EQ(TraceReader(folder_ / "run.0001.h5").header().at("segment.run"), run);
  EXPECT_EQ(TraceReader(file_).header().count("segment.run"), 0u);
}

}  // namespace
}  // namespace goldentrace
