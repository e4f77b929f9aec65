// Journals, .partial, locks, full disks, places that cannot be written.
#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "tests/support/child_process.h"
#include "tests/support/file_damage.h"
#include "tests/support/temporary_folder.h"
#include "tests/traces/sample_trace.h"
#include "tests/traces/trace_digest.h"
#include "traces/error.h"
#include "traces/recover.h"

namespace goldentrace {
namespace {

using namespace testing_support;
namespace fs = std::filesystem;
using testing::HasSubstr;

template <typename Action>
Error error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  return {ErrorCode::internal, "no error at all"};
}

class LifeCycle : public testing::Test {
 protected:
  Error open_error() const {
    return error_of([&] { TraceReader reader(file_); });
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()));
  }
  // A recorder in another process, half way through.
  void record_slowly(const std::function<void()>& ready_and_wait) const {
    TraceWriter writer(file_);
    add_record(writer, output_of("new"), DType::float32, {300000}, random_bytes(9, 1200000));
    ready_and_wait();
    writer.close();
  }
  std::string layer_in_file() const { return TraceReader(file_).records().at(0).id.layer; }

  TemporaryFolder folder_;
  fs::path file_ = folder_ / "run.h5";
  fs::path journal_ = folder_ / "run.h5.journal";
};

TEST_F(LifeCycle, ALiveRecordingIsStillBeingWritten) {
  Child recorder([&](const auto& ready_and_wait) { record_slowly(ready_and_wait); });
  EXPECT_FALSE(fs::exists(file_));
  EXPECT_EQ(open_error().code(), ErrorCode::still_being_written);
  EXPECT_THAT(open_error().what(), HasSubstr("still being written (lock held)"));
  EXPECT_EQ(error_of([&] { TraceReader reader(journal_); }).code(), ErrorCode::still_being_written);
  EXPECT_EQ(error_of([&] { TraceWriter writer(file_); }).code(), ErrorCode::still_being_written);
  EXPECT_EQ(recorder.finish(), 0);
  EXPECT_EQ(layer_in_file(), "new");
  EXPECT_EQ(files(), 1u);
}

TEST_F(LifeCycle, TheOldTraceIsUsedWhileANewOneIsWritten) {
  write_sample(file_);
  const Hash128 before = digest_of(TraceReader(file_));
  EXPECT_FALSE(TraceReader(file_).being_rewritten());
  Child recorder([&](const auto& ready_and_wait) { record_slowly(ready_and_wait); });
  const TraceReader during(file_);
  EXPECT_TRUE(during.being_rewritten());
  EXPECT_EQ(digest_of(during), before);
  EXPECT_EQ(recorder.finish(), 0);
  EXPECT_EQ(digest_of(during), before);  // a reader keeps what it opened
  EXPECT_EQ(layer_in_file(), "new");
}

TEST_F(LifeCycle, AKilledRecordingIsIncomplete) {
  Child([&](const auto& ready_and_wait) { record_slowly(ready_and_wait); }).kill_now();
  EXPECT_TRUE(fs::exists(journal_));
  EXPECT_EQ(open_error().code(), ErrorCode::incomplete);
  EXPECT_THAT(open_error().what(), HasSubstr("incomplete"));
  EXPECT_THAT(open_error().what(), HasSubstr("recover what it committed with: gtrace recover "));
  EXPECT_EQ(error_of([&] { TraceReader reader(journal_); }).code(), ErrorCode::incomplete);
  write_sample(file_);  // takes the leftover over
  EXPECT_EQ(layer_in_file(), "layers.0");
  EXPECT_EQ(files(), 1u);
}

// The lock tells, not the name: a leftover renamed over the target is no trace either.
TEST_F(LifeCycle, ARenamedLeftoverIsNoTrace) {
  Child([&](const auto& ready_and_wait) { record_slowly(ready_and_wait); }).kill_now();
  fs::rename(journal_, file_);
  EXPECT_EQ(open_error().code(), ErrorCode::not_a_trace);
  EXPECT_THAT(open_error().what(), HasSubstr("a journal, not a trace"));
}

TEST_F(LifeCycle, AKilledRecordingLeavesTheOldTrace) {
  write_sample(file_);
  const std::string before = read_file(file_);
  Child([&](const auto& ready_and_wait) { record_slowly(ready_and_wait); }).kill_now();
  EXPECT_TRUE(read_file(file_) == before);
  EXPECT_FALSE(TraceReader(file_).being_rewritten());
}

TEST_F(LifeCycle, DestroyedWithoutCloseLeavesNothing) {
  {
    TraceWriter writer(file_);
    add_record(writer, output_of("a"), DType::float32, {300000}, random_bytes(9, 1200000));
    EXPECT_TRUE(fs::exists(journal_));
  }
  EXPECT_EQ(files(), 0u);
}

TEST_F(LifeCycle, ManyReadersOfAReadOnlyTraceInAReadOnlyFolder) {
  write_sample(file_);
  fs::permissions(file_, fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read);
  fs::permissions(folder_.path(),
                  fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read | fs::perms::others_exec);
  const Hash128 wanted = digest_of(TraceReader(file_));
  std::vector<int> codes(8, -1);
  std::vector<std::thread> readers;
  for (int& code : codes) {
    readers.emplace_back([&] { code = digest_of(TraceReader(file_)) == wanted ? 0 : 1; });
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT_THAT(codes, testing::Each(0));
  fs::permissions(folder_.path(), fs::perms::owner_all);
}

TEST_F(LifeCycle, OneReaderServesManyThreads) {
  write_sample(file_);
  const TraceReader reader(file_);
  const Hash128 wanted = digest_of(reader);
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int repeat = 0; repeat < 5; ++repeat) wrong += digest_of(reader) == wanted ? 0 : 1;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(LifeCycle, TargetsThatAreNoFilesAreRefused) {
  fs::create_directory(file_);
  for (const fs::path& target : {file_, fs::path("/dev/null"), fs::path("/dev/full")}) {
    const Error error = error_of([&] { TraceWriter writer(target); });
    EXPECT_EQ(error.code(), ErrorCode::input_output);
    EXPECT_THAT(error.what(), HasSubstr(target == file_ ? "is a folder" : "is a device"));
  }
  EXPECT_FALSE(fs::exists("/dev/null.journal"));
}

TEST_F(LifeCycle, ALinkStaysALink) {
  write_file(folder_ / "real.h5", "old");
  fs::create_symlink("real.h5", file_);
  write_sample(file_);
  EXPECT_TRUE(fs::is_symlink(file_));
  EXPECT_EQ(TraceReader(folder_ / "real.h5").records().size(), 10u);
}

TEST_F(LifeCycle, AFolderThatIsNotThere) {
  const Error error = error_of([&] { TraceWriter writer(folder_ / "none" / "run.h5"); });
  EXPECT_EQ(error.code(), ErrorCode::input_output);
  EXPECT_THAT(error.what(), HasSubstr("none/run.h5.journal: cannot create the file: No such file or directory"));
}

// As an unprivileged user: root may write everywhere.
TEST_F(LifeCycle, AFolderThatMayNotBeWritten) {
  write_sample(file_);
  const std::string before = read_file(file_);
  fs::permissions(folder_.path(),
                  fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read | fs::perms::others_exec);
  const int code = in_child([&] {
    constexpr unsigned nobody = 65534;
    if (geteuid() == 0 && (setgroups(0, nullptr) != 0 || setgid(nobody) != 0 || setuid(nobody) != 0)) return 77;
    const Error error = error_of([&] { write_sample(file_); });
    const bool named = std::string(error.what()).find("Permission denied") != std::string::npos;
    return error.code() == ErrorCode::input_output && named ? 0 : 1;
  });
  fs::permissions(folder_.path(), fs::perms::owner_all);
  EXPECT_EQ(code, 0);
  EXPECT_TRUE(read_file(file_) == before);
  EXPECT_EQ(files(), 1u);
}

// The limit strikes within a frame, within libhdf5's own structures, at the first byte, at the last. What was committed
// when sealing failed is in the journal.
TEST_F(LifeCycle, AFullDiskIsAnErrorAndDestroysNothing) {
  const Hash128 wanted = [&] {
    write_sample(file_);
    return digest_of(TraceReader(file_));
  }();
  const std::string before = read_file(file_);
  const auto whole = static_cast<rlim_t>(before.size());
  for (rlim_t limit : {rlim_t{0}, rlim_t{100}, rlim_t{600}, rlim_t{5000}, whole / 10, whole / 3, whole / 2,
                       whole * 9 / 10, whole - 20000, whole - 1000, whole - 1}) {
    const int code = in_child([&] {
      const rlimit size{limit, limit};
      if (setrlimit(RLIMIT_FSIZE, &size) != 0) return 77;
      const Error error = error_of([&] { write_sample(file_); });
      const bool named = std::string(error.what()).find("File too large") != std::string::npos;
      return error.code() == ErrorCode::input_output && named ? 0 : 1;
    });
    EXPECT_EQ(code, 0) << "limit " << limit << " of " << whole;
    EXPECT_TRUE(read_file(file_) == before);
    if (files() == 1u) continue;
    ASSERT_EQ(files(), 2u) << "limit " << limit;
    const RecoverResult recovered = recover_journal(journal_, {.output = folder_ / "recovered.h5"});
    EXPECT_EQ(recovered.records, 10u);
    EXPECT_EQ(digest_of(TraceReader(recovered.trace)), wanted);
    fs::remove(recovered.trace);
  }
}

TEST_F(LifeCycle, AFailedWriterStaysFailed) {
  const int code = in_child([&] {
    const rlimit size{100000, 100000};
    if (setrlimit(RLIMIT_FSIZE, &size) != 0) return 77;
    TraceWriter writer(file_);
    const auto add = [&](std::uint64_t seed) {
      return error_of([&] {
               add_record(writer, output_of("a"), DType::float32, {300000}, random_bytes(seed, 1200000));
             }).code() == ErrorCode::input_output;
    };
    const bool all_refused = add(1) && add(2) && error_of([&] { writer.close(); }).code() == ErrorCode::input_output;
    return all_refused && !fs::exists(journal_) && !fs::exists(file_) ? 0 : 1;
  });
  EXPECT_EQ(code, 0);
}

TEST_F(LifeCycle, MisuseIsAnError) {
  TraceWriter writer(file_);
  Record record{.id = output_of("a"), .dtype = DType::float32, .shape = {3}};
  const Bytes short_payload = random_bytes(1, 8);
  EXPECT_THROW(writer.add(record, short_payload), Error);
  record.producers = {0};
  EXPECT_THROW(writer.add(record, {}), Error);
  writer.close();
  EXPECT_THROW(writer.close(), Error);
  EXPECT_THROW(writer.add(record, {}), Error);
}

// E05: nothing depends on where plugins are looked for.
TEST_F(LifeCycle, PluginPathsDoNotMatter) {
  for (const char* path : {"/does/not/exist", ""}) {
    const int code = in_child([&] {
      setenv("HDF5_PLUGIN_PATH", path, 1);
      write_sample(file_);
      return digest_of(TraceReader(file_)) == Hash128{} ? 1 : 0;
    });
    EXPECT_EQ(code, 0);
  }
}

}  // namespace
}  // namespace goldentrace
