// A journal that becomes the trace itself: when, what it holds, and what is left when that is interrupted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "tests/support/child_process.h"
#include "tests/support/file_damage.h"
#include "tests/support/temporary_folder.h"
#include "tests/traces/journal_jobs.h"
#include "tests/traces/sample_trace.h"
#include "tests/traces/trace_digest.h"
#include "traces/error.h"
#include "traces/journal_reader.h"
#include "traces/recover.h"

namespace goldentrace {
namespace {

using namespace testing_support;
namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

constexpr std::int64_t steps = 2;

void record_steps(TraceWriter& writer) {
  writer.header() = {{"model.name", "sealed"}};
  for (std::int64_t step = 0; step < steps; ++step) {
    for (const Job& job : jobs_of(step)) {
      writer.reserve();
      put_job(writer, job);
    }
    add_step_call(writer, step);
    writer.commit();
  }
}

ino_t inode_of(const fs::path& file) {
  struct stat status {};
  return stat(file.c_str(), &status) == 0 ? status.st_ino : 0;
}

class SealInPlace : public testing::Test {
 protected:
  void record() const {
    TraceWriter writer(file_);
    record_steps(writer);
    writer.close();
  }
  // A recorder that dies before it closes.
  void leave_journal() const {
    Child recorder([&](const auto& ready_and_wait) {
      TraceWriter writer(file_);
      record_steps(writer);
      ready_and_wait();
    });
    recorder.kill_now();
  }
  // As a recorder leaves it that dies between its last two steps.
  void leave_finished_journal() const {
    record();
    fs::rename(file_, journal_);
  }
  template <typename Action>
  static std::string message_of(Action action) {
    try {
      action();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  TemporaryFolder folder_;
  fs::path file_ = folder_ / "run.h5";
  fs::path journal_ = folder_ / "run.h5.journal";
};

TEST_F(SealInPlace, FramesStayWhereTheyAre) {
  TraceWriter writer(file_);
  record_steps(writer);
  const ino_t journal = inode_of(journal_);
  const std::uintmax_t bytes = fs::file_size(journal_);
  writer.close();
  EXPECT_EQ(inode_of(file_), journal);
  EXPECT_GT(fs::file_size(file_), bytes);
  EXPECT_LT(fs::file_size(file_), bytes + bytes / 16 + 100'000);
  EXPECT_FALSE(fs::exists(journal_));
  EXPECT_FALSE(fs::exists(folder_ / "run.h5.partial"));
  TraceReader(file_).verify();
}

TEST_F(SealInPlace, SaysTheSameAsACopy) {
  record();
  const Hash128 digest = digest_of(TraceReader(file_));
  fs::rename(file_, folder_ / "in-place.h5");
  leave_journal();
  const ino_t journal = inode_of(journal_);
  recover_journal(journal_);
  EXPECT_NE(inode_of(file_), journal);
  TraceReader(file_).verify();
  EXPECT_EQ(digest_of(TraceReader(file_)), digest);
  const std::uintmax_t copied = fs::file_size(file_);
  EXPECT_LT(fs::file_size(folder_ / "in-place.h5"), copied + copied / 16);
}

TEST_F(SealInPlace, MuchElseThanFramesIsLeftBehindByCopying) {
  TraceWriter writer(file_);
  add_record(writer, output_of("large"), DType::float32, {40, 500}, random_bytes(1, 80000));
  for (std::uint64_t i = 0; i < 10; ++i) {
    add_record(writer, output_of("small." + std::to_string(i)), DType::float32, {200}, random_bytes(i, 800));
  }
  const ino_t journal = inode_of(journal_);
  writer.close();
  EXPECT_NE(inode_of(file_), journal);
  TraceReader(file_).verify();
}

// The second step's frames lie in front of the first one's commit.
TEST_F(SealInPlace, FramesOfAStepThatIsNotKeptAreNotKeptEither) {
  TraceWriter writer(file_);
  const auto put_large = [&](std::int64_t row) {
    Record record{.id = output_of("large", row), .shape = {400, 500}};
    const Bytes payload = random_bytes(static_cast<std::uint64_t>(row), 800000);
    record.fingerprint.hash = content_hash(payload);
    writer.put(row, record, payload);
  };
  writer.reserve();
  writer.commit();
  writer.reserve();
  put_large(1);
  put_large(0);
  const std::uintmax_t bytes = fs::file_size(journal_);
  writer.close_committed();
  EXPECT_LT(fs::file_size(file_), 6 * bytes / 10);
  const TraceReader reader(file_);
  reader.verify();
  EXPECT_EQ(reader.records().size(), 1u);
}

TEST_F(SealInPlace, WhatWasNotCommittedIsNoPartOfIt) {
  {
    TraceWriter writer(file_);
    record_steps(writer);
    for (const Job& job : jobs_of(steps)) {
      writer.reserve();
      put_job(writer, job);
    }
    const std::uintmax_t bytes = fs::file_size(journal_);
    writer.close_committed();
    EXPECT_LT(fs::file_size(file_), bytes);
  }
  const TraceReader reader(file_);
  reader.verify();
  EXPECT_EQ(reader.records().size(), 24u);
}

TEST_F(SealInPlace, AnOlderTraceIsReplaced) {
  write_sample(file_);
  record();
  EXPECT_EQ(TraceReader(file_).records().size(), 24u);
}

// In a child, because the limit stays. The room behind the last commit is not enough for the tables.
TEST_F(SealInPlace, AFullDiskLeavesTheJournalAsItWas) {
  leave_journal();
  const std::uintmax_t bytes = fs::file_size(journal_);
  fs::remove(journal_);
  for (rlim_t room : {300, 3000, 9000}) {
    const int code = in_child([&] {
      TraceWriter writer(file_);
      record_steps(writer);
      const std::string before = read_file(journal_);
      const rlimit size{bytes + room, bytes + room};
      if (setrlimit(RLIMIT_FSIZE, &size) != 0) return 77;
      const std::string message = message_of([&] { writer.close(); });
      const bool says = message.find(
                            "File too large; the recording is in its journal; recover it with: gtrace "
                            "recover") != std::string::npos;
      return says && read_file(journal_).substr(0, before.size()) == before ? 0 : 1;
    });
    EXPECT_EQ(code, 0) << room;
    EXPECT_FALSE(fs::exists(file_));
    const JournalScan scan = JournalReader(journal_).scan();
    EXPECT_FALSE(scan.damage);
    EXPECT_EQ(scan.torn_bytes, 0u);
    EXPECT_EQ(recover_journal(journal_).steps, 2u);
    TraceReader(file_).verify();
    fs::remove(file_);
  }
}

TEST_F(SealInPlace, AFinishedTraceUnderTheJournalsNameIsRecognised) {
  leave_finished_journal();
  const std::string before = read_file(journal_);
  const std::string wanted = "gtrace recover " + journal_.string();
  const auto says_so = AllOf(HasSubstr("its recorder ended before"), HasSubstr(wanted));
  EXPECT_THAT(message_of([&] { TraceReader reader(file_); }), says_so);
  EXPECT_THAT(message_of([&] { TraceReader reader(journal_); }), says_so);
  EXPECT_THAT(message_of([&] { TraceWriter writer(file_); }), says_so);
  EXPECT_TRUE(is_journal(journal_));
  const JournalSummary summary = verify_journal(journal_);
  EXPECT_EQ(summary.steps, 2u);
  EXPECT_EQ(summary.records, 24u);
  EXPECT_EQ(summary.torn_bytes, 0u);
  EXPECT_TRUE(read_file(journal_) == before);
  const RecoverResult result = recover_journal(journal_);
  EXPECT_TRUE(result.was_sealed);
  EXPECT_EQ(result.records, 24u);
  EXPECT_FALSE(fs::exists(journal_));
  EXPECT_TRUE(read_file(file_) == before);
}

TEST_F(SealInPlace, ADamagedFinishedTraceStaysWhereItIs) {
  leave_finished_journal();
  const std::uintmax_t bytes = fs::file_size(journal_);
  for (std::uintmax_t at : {std::uintmax_t{20}, bytes / 2, bytes - 10}) {
    flip_byte(journal_, at);
    EXPECT_THAT(message_of([&] { recover_journal(journal_); }), HasSubstr("damaged")) << at;
    EXPECT_THAT(message_of([&] { verify_journal(journal_); }), HasSubstr("damaged")) << at;
    EXPECT_FALSE(fs::exists(file_));
    flip_byte(journal_, at);
  }
  recover_journal(journal_);
  TraceReader(file_).verify();
}

TEST_F(SealInPlace, AFinishedTraceReplacesNoNewerOne) {
  leave_finished_journal();
  write_sample(folder_ / "other.h5");
  fs::rename(folder_ / "other.h5", file_);
  fs::last_write_time(file_, fs::last_write_time(journal_) + std::chrono::seconds(5));
  EXPECT_THAT(message_of([&] { recover_journal(journal_); }), HasSubstr("is newer than"));
  EXPECT_EQ(recover_journal(journal_, {.output = folder_ / "elsewhere.h5"}).records, 24u);
  EXPECT_EQ(TraceReader(folder_ / "elsewhere.h5").records().size(), 24u);
  EXPECT_EQ(TraceReader(file_).records().size(), 10u);
}

TEST_F(SealInPlace, AFinishedTraceMovesToAnotherFileSystem) {
  struct stat here {};
  struct stat there {};
  const fs::path other = "/dev/shm";
  if (stat(folder_.path().c_str(), &here) != 0 || stat(other.c_str(), &there) != 0 || here.st_dev == there.st_dev) {
    GTEST_SKIP() << "there is one file system";
  }
  leave_finished_journal();
  const std::string before = read_file(journal_);
  const fs::path target = other / (folder_.path().filename().string() + ".h5");
  recover_journal(journal_, {.output = target});
  EXPECT_TRUE(read_file(target) == before);
  EXPECT_FALSE(fs::exists(journal_));
  fs::remove(target);
}

// Every byte in front of the entries: nothing but zeros, or the superblock of an interrupted seal.
TEST_F(SealInPlace, FlipsInTheRoomOfAJournalAreFound) {
  leave_journal();
  for (std::uint64_t at = 0; at < format::first_entry; at += 3) {
    flip_byte(journal_, at, 0x20);
    const std::string message = message_of([&] { verify_journal(journal_); });
    EXPECT_THAT(message, AllOf(HasSubstr("run.h5.journal"), testing::Not(HasSubstr("no error")))) << at;
    flip_byte(journal_, at, 0x20);
  }
  EXPECT_EQ(verify_journal(journal_).steps, 2u);
  overwrite(journal_, sizeof(format::FirstBlock), "\x89HDF\r\n\x1a\n and more");
  EXPECT_EQ(verify_journal(journal_).steps, 2u);
}

TEST_F(SealInPlace, AnotherVersionOfTheJournalIsRefused) {
  leave_journal();
  format::JournalHead head = JournalReader(journal_).head();
  head.version = 1;
  const Hash128 hash = piece_hash(std::as_bytes(std::span(&head, 1)).first(format::hashed_journal_head_bytes));
  head.low = hash.low;
  head.high = hash.high;
  overwrite(journal_, 0, {reinterpret_cast<const char*>(&head), sizeof head});
  EXPECT_THAT(message_of([&] { recover_journal(journal_); }),
              HasSubstr("journal version 1; this build reads version 2; recover it with the build that recorded it"));
}

}  // namespace
}  // namespace goldentrace
