// Files that are there already when a recording begins or is recovered: never lost, never taken for something else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

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
using Replace = RecoverOptions::Replace;

class Leftover : public testing::Test {
 protected:
  void leave_journal(std::int64_t steps) const {
    Child recorder([&](const auto& ready_and_wait) {
      TraceWriter writer(file_);
      for (std::int64_t step = 0; step < steps; ++step) {
        for (const Job& job : jobs_of(step)) {
          writer.reserve();
          put_job(writer, job);
        }
        writer.commit();
      }
      ready_and_wait();
    });
    recorder.kill_now();
  }
  static void write_text(const fs::path& file) { std::ofstream(file) << "no trace of anything\n"; }
  template <typename Action>
  static Error error_of(Action action) {
    try {
      action();
    } catch (const Error& error) {
      return error;
    }
    return {ErrorCode::internal, "no error at all"};
  }

  TemporaryFolder folder_;
  fs::path file_ = folder_ / "run.h5";
  fs::path journal_ = folder_ / "run.h5.journal";
};

TEST_F(Leftover, ARecoveredTraceNeverReplacesItsJournal) {
  leave_journal(1);
  const std::string before = read_file(journal_);
  fs::create_symlink(journal_, folder_ / "link.h5");
  fs::create_hard_link(journal_, folder_ / "same.h5");
  fs::create_hard_link(journal_, folder_ / "way.h5.partial");
  for (const char* name : {"run.h5.journal", "./run.h5.journal", "link.h5", "same.h5", "way.h5"}) {
    for (const Replace replace : {Replace::older_only, Replace::always}) {
      const Error error = error_of([&] { recover_journal(journal_, {.output = folder_ / name, .replace = replace}); });
      EXPECT_EQ(error.code(), ErrorCode::usage) << name;
      EXPECT_THAT(error.what(), HasSubstr("is the journal that is read")) << name;
      EXPECT_TRUE(read_file(journal_) == before) << name;
    }
  }
}

TEST_F(Leftover, AnOutputThatIsThereNeedsForce) {
  leave_journal(1);
  const fs::path other = folder_ / "other.h5";
  write_sample(other);
  fs::last_write_time(other, fs::last_write_time(journal_) - std::chrono::hours(1));
  const Error error = error_of([&] { recover_journal(journal_, {.output = other}); });
  EXPECT_EQ(error.code(), ErrorCode::usage);
  EXPECT_THAT(error.what(), HasSubstr("--force"));
  EXPECT_EQ(TraceReader(other).records().size(), 10u);
  EXPECT_TRUE(fs::exists(journal_));
  EXPECT_EQ(recover_journal(journal_, {.output = other, .replace = Replace::always}).records, 12u);
}

TEST_F(Leftover, OnlyWhatIsAJournalIsTakenOver) {
  std::ofstream(journal_).close();
  write_sample(file_);
  leave_journal(0);
  write_sample(file_);
  leave_journal(0);
  std::string damaged = read_file(journal_);
  damaged[100] ^= 1;
  for (const std::string& content : {std::string("notes\n"), std::string(5000, 'x'), damaged}) {
    std::ofstream(journal_, std::ios::binary) << content;
    const Error error = error_of([&] { TraceWriter writer(file_); });
    EXPECT_THAT(error.what(), HasSubstr("run.h5.journal: "));
    EXPECT_THAT(error.what(), HasSubstr("remove it"));
    EXPECT_TRUE(read_file(journal_) == content);
  }
}

TEST_F(Leftover, OnlyWhatIsAPartialIsTakenOver) {
  leave_journal(1);
  const fs::path partial = folder_ / "run.h5.partial";
  write_text(partial);
  const std::string before = read_file(partial);
  EXPECT_THAT(error_of([&] { recover_journal(journal_); }).what(), HasSubstr("run.h5.partial: "));
  EXPECT_TRUE(read_file(partial) == before);
  std::ofstream(partial, std::ios::binary) << std::string(5000, '\0');
  EXPECT_EQ(recover_journal(journal_).records, 12u);
}

TEST_F(Leftover, KindsOfFilesAreNamed) {
  ASSERT_EQ(mkfifo(journal_.c_str(), 0600), 0);
  EXPECT_THAT(error_of([&] { TraceWriter writer(file_); }).what(), HasSubstr("run.h5.journal: is a pipe"));
  EXPECT_THAT(error_of([&] { TraceReader reader(file_); }).what(), HasSubstr("run.h5.journal: is a pipe"));
  EXPECT_THAT(error_of([&] { recover_journal(journal_); }).what(), HasSubstr("is a pipe, not a journal"));
  fs::remove(journal_);
  fs::create_directory(journal_);
  EXPECT_THAT(error_of([&] { recover_journal(journal_); }).what(), HasSubstr("is a folder, not a journal"));
  EXPECT_THAT(error_of([&] { TraceReader reader(file_); }).what(), HasSubstr("run.h5.journal: is a folder"));
  EXPECT_THAT(error_of([&] { recover_journal("/dev/null"); }).what(), HasSubstr("is a device, not a journal"));
}

TEST_F(Leftover, WhatCannotBeRecoveredCanBeRemoved) {
  write_text(journal_);
  EXPECT_THAT(error_of([&] { TraceReader reader(file_); }).what(), HasSubstr("not a journal (21 bytes); remove it"));
  EXPECT_THAT(error_of([&] { recover_journal(journal_); }).what(), HasSubstr("not a journal (21 bytes); remove it"));
  write_sample(folder_ / "whole.h5");
  const std::string whole = read_file(folder_ / "whole.h5");
  std::ofstream(journal_, std::ios::binary) << whole.substr(0, whole.size() / 2);
  EXPECT_THAT(error_of([&] { TraceReader reader(file_); }).what(), HasSubstr("or remove it"));
  EXPECT_THAT(error_of([&] { recover_journal(journal_); }).what(), HasSubstr("or remove it"));
}

}  // namespace
}  // namespace goldentrace
