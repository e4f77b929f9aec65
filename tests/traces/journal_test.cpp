// Journals: rows from several threads, what a kill leaves, damage at every place, full disks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <thread>

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
using testing::HasSubstr;

// Steps are reserved and committed at once; their rows come later, from `threads` threads in no order.
void record(TraceWriter& writer, std::int64_t steps, unsigned threads) {
  std::vector<Job> jobs;
  for (std::int64_t step = 0; step < steps; ++step) {
    std::vector<Job> more = jobs_of(step);
    for (const Job& job : more) EXPECT_EQ(writer.reserve(), job.row);
    std::move(more.begin(), more.end(), std::back_inserter(jobs));
    add_step_call(writer, step);
    writer.commit();
  }
  if (threads > 1) std::reverse(jobs.begin(), jobs.end());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < jobs.size(); i = next++) put_job(writer, jobs[i]);
  };
  std::vector<std::thread> pool;
  for (unsigned i = 1; i < threads; ++i) pool.emplace_back(work);
  work();
  for (std::thread& thread : pool) thread.join();
}

void record_file(const fs::path& file, std::int64_t steps, unsigned threads = 1, WriterOptions options = {}) {
  TraceWriter writer(file, std::move(options));
  writer.header() = {{"model.name", "journal"}};
  record(writer, steps, threads);
  writer.close();
}

class Journal : public testing::Test {
 protected:
  // A recorder that is killed after `steps` committed steps and the first rows of another.
  void leave_journal(std::int64_t steps, WriterOptions options = {}) const {
    Child recorder([&](const auto& ready_and_wait) {
      TraceWriter writer(file_, options);
      writer.header() = {{"model.name", "journal"}};
      record(writer, steps, 1);
      for (const Job& job : jobs_of(steps)) {
        writer.reserve();
        if (job.row % 12 < 6) put_job(writer, job);
      }
      ready_and_wait();
    });
    recorder.kill_now();
  }
  Hash128 undisturbed(std::int64_t steps) const {
    const fs::path other = folder_ / "undisturbed.h5";
    record_file(other, steps);
    const Hash128 digest = digest_of(TraceReader(other));
    fs::remove(other);
    return digest;
  }
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

TEST_F(Journal, RowsFromFourThreadsMakeTheSameTrace) {
  const Hash128 wanted = undisturbed(5);
  record_file(file_, 5, 4);
  const TraceReader reader(file_);
  reader.verify();
  EXPECT_EQ(digest_of(reader), wanted);
  EXPECT_FALSE(fs::exists(journal_));
}

// As a recorder works: one thread reserves, adds calls and commits, the others put behind it. With segments, too.
TEST_F(Journal, ReservingGoesOnWhileOthersPut) {
  for (std::uint64_t segment_bytes : {0, 3'000'000}) {
    std::mutex mutex;
    std::vector<Job> queue;
    std::atomic<bool> ended = false;
    std::atomic<int> commits = 0;
    TraceWriter writer(file_, {.segment_bytes = segment_bytes, .committed = [&](std::uint64_t) { ++commits; }});
    writer.header() = {{"model.name", "journal"}};
    const auto work = [&] {
      for (;;) {
        const bool last = ended;
        std::unique_lock lock(mutex);
        if (queue.empty()) {
          if (last) return;
          lock.unlock();
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
          continue;
        }
        const Job job = std::move(queue.back());
        queue.pop_back();
        lock.unlock();
        put_job(writer, job);
      }
    };
    std::vector<std::thread> pool;
    for (int i = 0; i < 3; ++i) pool.emplace_back(work);
    for (std::int64_t step = 0; step < 5; ++step) {
      for (Job& job : jobs_of(step)) {
        EXPECT_EQ(writer.reserve(), job.row);
        const std::lock_guard lock(mutex);
        queue.push_back(std::move(job));
      }
      add_step_call(writer, step);
      writer.commit();
    }
    ended = true;
    for (std::thread& thread : pool) thread.join();
    EXPECT_EQ(commits, 5);
    writer.close();
    const TraceReader reader(file_);
    reader.verify();
    EXPECT_EQ(reader.records().size(), 60u);
    if (segment_bytes == 0) {
      EXPECT_EQ(digest_of(reader), undisturbed(5));
      fs::remove(file_);
    }
  }
}

TEST_F(Journal, CommitsAreReportedInOrderWithTheirBytes) {
  std::vector<std::uint64_t> reported;
  TraceWriter writer(file_, {.committed = [&](std::uint64_t bytes) { reported.push_back(bytes); }});
  record(writer, 3, 4);
  ASSERT_EQ(reported.size(), 3u);
  EXPECT_EQ(std::accumulate(reported.begin(), reported.end(), std::uint64_t{0}), writer.payload_bytes());
  writer.close();
}

TEST_F(Journal, ACommitWaitsForItsLastRow) {
  int commits = 0;
  TraceWriter writer(file_, {.committed = [&](std::uint64_t) { ++commits; }});
  const std::vector<Job> jobs = jobs_of(0);
  for (std::size_t i = 0; i < jobs.size(); ++i) writer.reserve();
  writer.commit();
  for (std::size_t i = jobs.size(); i-- > 0;) {
    EXPECT_EQ(commits, 0);
    put_job(writer, jobs[i]);
  }
  EXPECT_EQ(commits, 1);
  writer.close();
}

TEST_F(Journal, AListenerThatThrowsFailsTheWriter) {
  TraceWriter writer(file_, {.committed = [](std::uint64_t) { throw Error(ErrorCode::input_output, "no room"); }});
  for (const Job& job : jobs_of(0)) {
    writer.reserve();
    put_job(writer, job);
  }
  EXPECT_THAT(error_of([&] { writer.commit(); }).what(), HasSubstr("no room"));
  EXPECT_THAT(error_of([&] { writer.reserve(); }).what(), HasSubstr("no room"));
  const Error error = error_of([&] { writer.close(); });
  EXPECT_THAT(error.what(), HasSubstr("no room; 1 step before that are in"));
  EXPECT_EQ(TraceReader(file_).records().size(), 12u);
}

TEST_F(Journal, RowsArePutOnce) {
  TraceWriter writer(file_);
  const Job job = jobs_of(0)[0];
  EXPECT_THROW(put_job(writer, job), Error);
  writer.reserve();
  put_job(writer, job);
  EXPECT_THROW(put_job(writer, job), Error);
  writer.reserve();
  EXPECT_THAT(error_of([&] { writer.close(); }).what(), HasSubstr("a reserved record was never put"));
}

TEST_F(Journal, RecoverKeepsEveryCommittedStep) {
  leave_journal(3);
  EXPECT_THAT(error_of([&] { TraceReader reader(file_); }).what(), HasSubstr("gtrace recover " + journal_.string()));
  const JournalSummary summary = verify_journal(journal_);
  EXPECT_EQ(summary.steps, 3u);
  EXPECT_GT(summary.torn_bytes, 0u);
  const RecoverResult result = recover_journal(journal_);
  EXPECT_EQ(result.steps, 3u);
  EXPECT_EQ(result.records, 36u);
  EXPECT_EQ(result.trace, file_);
  EXPECT_FALSE(fs::exists(journal_));
  EXPECT_EQ(digest_of(TraceReader(file_)), undisturbed(3));
}

TEST_F(Journal, ATornTailIsNormalWhereverItIsTorn) {
  leave_journal(2);
  const std::string whole = read_file(journal_);
  const JournalScan scan = JournalReader(journal_).scan();
  const Hash128 wanted = undisturbed(2);
  for (std::uint64_t cut = scan.map.end; cut <= whole.size(); cut += 1 + (whole.size() - scan.map.end) / 60) {
    write_file(journal_, whole.substr(0, cut));
    EXPECT_EQ(recover_journal(journal_).steps, 2u) << cut;
    EXPECT_EQ(digest_of(TraceReader(file_)), wanted);
    fs::remove(file_);
  }
  // One step less.
  write_file(journal_, whole.substr(0, scan.map.end - 1));
  EXPECT_EQ(recover_journal(journal_).steps, 1u);
  EXPECT_EQ(digest_of(TraceReader(file_)), undisturbed(1));
}

TEST_F(Journal, FlipsAreFound) {
  leave_journal(2);
  const std::string whole = read_file(journal_);
  const std::uint64_t committed = JournalReader(journal_).scan().map.end;
  for (std::uint64_t i = 0; i < 300; ++i) {
    const std::uint64_t at = committed * i / 300;
    flip_byte(journal_, at, static_cast<unsigned char>(1u << (i % 8)));
    const Error error = error_of([&] { recover_journal(journal_); });
    EXPECT_TRUE(error.code() == ErrorCode::damaged || error.code() == ErrorCode::not_a_trace) << at << error.what();
    EXPECT_THAT(error.what(), HasSubstr("run.h5.journal"));
    EXPECT_NE(error_of([&] { verify_journal(journal_); }).code(), ErrorCode::internal) << at;
    EXPECT_FALSE(fs::exists(file_));
    flip_byte(journal_, at, static_cast<unsigned char>(1u << (i % 8)));
  }
}

TEST_F(Journal, DamageIsNamedAndWhatIsBeforeItCanBeKept) {
  leave_journal(3);
  const JournalMap map = JournalReader(journal_).scan().map;
  flip_byte(journal_, map.records[17] + 100);
  const Error error = error_of([&] { recover_journal(journal_); });
  EXPECT_THAT(error.what(),
              HasSubstr("run.h5.journal: byte " + std::to_string(map.records[17]) + ": damaged in step 2"));
  EXPECT_THAT(error.what(), HasSubstr("--keep-before-damage keeps the 1 steps before it"));
  const RecoverResult result = recover_journal(journal_, {.damage = RecoverOptions::Damage::keep_what_is_before});
  EXPECT_EQ(result.steps, 1u);
  EXPECT_EQ(digest_of(TraceReader(file_)), undisturbed(1));
  EXPECT_TRUE(fs::exists(journal_));
}

TEST_F(Journal, RecoverRefusesWhatItMustNotDo) {
  {
    Child recorder([&](const auto& ready_and_wait) {
      TraceWriter writer(file_);
      record(writer, 1, 1);
      ready_and_wait();
      writer.close();
    });
    EXPECT_EQ(error_of([&] { recover_journal(journal_); }).code(), ErrorCode::still_being_written);
    EXPECT_EQ(recorder.finish(), 0);
  }
  EXPECT_EQ(error_of([&] { recover_journal(journal_); }).code(), ErrorCode::not_found);
  EXPECT_EQ(error_of([&] { recover_journal(file_, {.output = folder_ / "x.h5"}); }).code(), ErrorCode::not_a_trace);
  fs::remove(file_);
  leave_journal(0);
  EXPECT_THAT(error_of([&] { recover_journal(journal_); }).what(), HasSubstr("no step was committed"));
}

TEST_F(Journal, ANewerTraceIsNotReplaced) {
  leave_journal(2);
  write_sample(folder_ / "other.h5");
  fs::rename(folder_ / "other.h5", file_);
  fs::last_write_time(file_, fs::last_write_time(journal_) + std::chrono::seconds(5));
  EXPECT_THAT(error_of([&] { recover_journal(journal_); }).what(), HasSubstr("is newer than"));
  EXPECT_EQ(TraceReader(file_).records().size(), 10u);
  EXPECT_EQ(recover_journal(journal_, {.replace = RecoverOptions::Replace::always}).records, 24u);
  EXPECT_EQ(TraceReader(file_).records().size(), 24u);
}

// The last of many rows is the first that the file gets.
TEST_F(Journal, RowsOfOpenStepsComeInAnyOrder) {
  Child recorder([&](const auto& ready_and_wait) {
    TraceWriter writer(file_);
    for (int i = 0; i < 100; ++i) writer.reserve();
    Record record{.id = output_of("late")};
    writer.put(99, record, {});
    ready_and_wait();
  });
  recorder.kill_now();
  EXPECT_EQ(verify_journal(journal_).steps, 0u);
}

// Killed between the rename and the removal of the journal.
TEST_F(Journal, ASealedTraceIsRecognised) {
  leave_journal(2);
  fs::copy_file(journal_, folder_ / "copy");
  recover_journal(journal_);
  fs::rename(folder_ / "copy", journal_);
  fs::last_write_time(file_, fs::last_write_time(journal_) + std::chrono::seconds(5));
  EXPECT_TRUE(recover_journal(journal_).was_sealed);
  EXPECT_FALSE(fs::exists(journal_));
}

TEST_F(Journal, ANewRecorderRefusesToThrowCommittedStepsAway) {
  leave_journal(2);
  const std::string before = read_file(journal_);
  const Error error = error_of([&] { TraceWriter writer(file_); });
  EXPECT_EQ(error.code(), ErrorCode::incomplete);
  EXPECT_THAT(error.what(), HasSubstr("holds 2 committed steps"));
  EXPECT_TRUE(read_file(journal_) == before);
}

// In a child, because the limit stays.
TEST_F(Journal, AFullDiskKeepsTheCommittedSteps) {
  record_file(file_, 6);
  const auto whole = static_cast<rlim_t>(fs::file_size(file_));
  fs::remove(file_);
  for (rlim_t part : {3, 5, 7}) {
    const int code = in_child([&] {
      const rlimit size{whole * part / 10, whole * part / 10};
      if (setrlimit(RLIMIT_FSIZE, &size) != 0) return 77;
      TraceWriter writer(file_);
      writer.header() = {{"model.name", "journal"}};
      const Error first = error_of([&] { record(writer, 6, 1); });
      const Error again = error_of([&] { writer.reserve(); });
      const Error last = error_of([&] { writer.close(); });
      const bool named = std::string(last.what()).find("File too large; ") != std::string::npos;
      return first.code() == ErrorCode::input_output && again.code() == first.code() && named ? 0 : 1;
    });
    EXPECT_EQ(code, 0) << part;
    if (!fs::exists(file_)) recover_journal(journal_);
    EXPECT_FALSE(fs::exists(journal_));
    const std::size_t records = TraceReader(file_).records().size();
    EXPECT_GE(records, 12u);
    EXPECT_EQ(digest_of(TraceReader(file_)), undisturbed(static_cast<std::int64_t>(records / 12))) << part;
    fs::remove(file_);
  }
}

TEST_F(Journal, AnOlderTraceIsKeptWhenWritingFails) {
  write_sample(file_);
  const std::string before = read_file(file_);
  {
    TraceWriter writer(file_, {.committed = [](std::uint64_t) { throw Error(ErrorCode::input_output, "no room"); }});
    EXPECT_THROW(record(writer, 1, 1), Error);
    EXPECT_THAT(error_of([&] { writer.close(); }).what(), HasSubstr("are kept; recover them with: gtrace recover"));
  }
  EXPECT_TRUE(read_file(file_) == before);
  EXPECT_EQ(recover_journal(journal_, {.output = folder_ / "new.h5"}).records, 12u);
}

}  // namespace
}  // namespace goldentrace
