// Runs in segments: written, read as one trace, alone, with one missing, after a kill.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/child_process.h"
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

class Segments : public testing::Test {
 protected:
  static void record_step(TraceWriter& writer, std::int64_t step) {
    for (const Job& job : jobs_of(step)) {
      writer.reserve();
      put_job(writer, job);
    }
    add_step_call(writer, step);
    writer.commit();
  }
  void record(const fs::path& file, std::int64_t steps, WriterOptions options) const {
    TraceWriter writer(file, std::move(options));
    writer.header() = {{"model.name", "segments"}};
    for (std::int64_t step = 0; step < steps; ++step) record_step(writer, step);
    writer.header()["recording.end"] = "said last";
    writer.close();
  }
  void record_segments(std::int64_t steps = 7) const { record(file_, steps, {.segment_bytes = 3'000'000}); }
  std::size_t count_segments() const { return files_with(".h5"); }
  std::size_t files_with(const std::string& ending) const {
    std::size_t count = 0;
    for (const auto& each : fs::directory_iterator(folder_.path())) {
      const std::string name = each.path().filename().string();
      if (name.starts_with("run") && name.ends_with(ending)) ++count;
    }
    return count;
  }
  Error open_error() const {
    try {
      TraceReader reader(file_);
    } catch (const Error& error) {
      return error;
    }
    return {ErrorCode::internal, "no error at all"};
  }
  // The call that ends a segment can get no later self-check.
  void expect_equal(const TraceReader& a, const TraceReader& b) const {
    ASSERT_EQ(a.records().size(), b.records().size());
    for (std::size_t i = 0; i < a.records().size(); ++i) {
      const auto row = static_cast<std::int64_t>(i);
      EXPECT_EQ(a.records()[i].id, b.records()[i].id);
      EXPECT_EQ(a.records()[i].producers, b.records()[i].producers) << i;
      EXPECT_EQ(a.sketch(row), b.sketch(row));
      ASSERT_EQ(a.has_payload(row), b.has_payload(row));
      if (!a.has_payload(row)) continue;
      EXPECT_EQ(a.payload(row), b.payload(row)) << i;
    }
    ASSERT_EQ(a.calls().size(), b.calls().size());
    for (std::size_t i = 0; i < a.calls().size(); ++i) {
      EXPECT_EQ(a.calls()[i].step, b.calls()[i].step);
      EXPECT_EQ(a.tape_text(a.calls()[i].tape), b.tape_text(b.calls()[i].tape)) << i;
      EXPECT_EQ(a.blob(a.calls()[i].random), b.blob(b.calls()[i].random)) << i;
    }
    EXPECT_EQ(a.header(), b.header());
  }

  TemporaryFolder folder_;
  fs::path file_ = folder_ / "run.h5";
};

TEST_F(Segments, AreOneTrace) {
  record_segments();
  record(folder_ / "whole.h5", 7, {});
  EXPECT_GE(count_segments(), 3u);
  EXPECT_FALSE(fs::exists(file_));
  const TraceReader whole(folder_ / "whole.h5");
  const TraceReader reader(file_);
  expect_equal(reader, whole);
  reader.verify();
  EXPECT_EQ(reader.find(whole.records()[40].id), 40);
  std::uint64_t last = 0;
  std::uint64_t total = 0;
  reader.verify([&](std::uint64_t done, std::uint64_t all) {
    last = done;
    total = all;
  });
  EXPECT_EQ(last, total);
}

TEST_F(Segments, CanBeReadAlone) {
  record_segments();
  const TraceReader alone(folder_ / "run.0001.h5");
  alone.verify();
  EXPECT_TRUE(alone.records()[0].producers.empty());
  EXPECT_EQ(alone.records()[1].producers, std::vector<std::int64_t>{0});
  EXPECT_EQ(alone.header().at("segment.number"), "1");
  EXPECT_EQ(alone.calls()[0].parent, -1);
  EXPECT_FALSE(alone.tape_text(alone.calls()[0].tape).empty());
}

TEST_F(Segments, AMissingOneIsNamed) {
  record_segments();
  fs::remove(folder_ / "run.0001.h5");
  EXPECT_EQ(open_error().code(), ErrorCode::not_found);
  EXPECT_THAT(open_error().what(), HasSubstr("run.0001.h5: this segment of the run is missing"));
  fs::remove(folder_ / "run.0000.h5");
  EXPECT_THAT(open_error().what(), HasSubstr("run.0000.h5: this segment of the run is missing"));
}

TEST_F(Segments, OfTwoRunsDoNotFit) {
  record_segments();
  fs::rename(folder_ / "run.0001.h5", folder_ / "other");
  fs::copy_file(folder_ / "run.0000.h5", folder_ / "run.0001.h5");
  EXPECT_THAT(open_error().what(), HasSubstr("run.0001.h5: does not continue the segment before it"));
}

TEST_F(Segments, AfterAKillTheFinishedOnesStayAndTheOthersAreRecovered) {
  record(folder_ / "whole.h5", 6, {});
  Child recorder([&](const auto& ready_and_wait) {
    TraceWriter writer(file_, {.segment_bytes = 3'000'000});
    for (std::int64_t step = 0; step < 6; ++step) record_step(writer, step);
    writer.reserve();
    put_job(writer, jobs_of(6)[0]);
    ready_and_wait();
  });
  EXPECT_EQ(open_error().code(), ErrorCode::still_being_written);
  recorder.kill_now();
  EXPECT_EQ(open_error().code(), ErrorCode::incomplete);
  const std::vector<fs::path> journals = journals_of(file_);
  ASSERT_FALSE(journals.empty());
  EXPECT_THAT(open_error().what(), HasSubstr("gtrace recover " + journals[0].string()));
  for (const fs::path& journal : journals) recover_journal(journal);
  const TraceReader whole(folder_ / "whole.h5");
  const TraceReader reader(file_);
  reader.verify();
  ASSERT_EQ(reader.records().size(), whole.records().size());
  for (std::size_t i = 0; i < whole.records().size(); ++i) {
    EXPECT_EQ(reader.records()[i].id, whole.records()[i].id);
    EXPECT_EQ(reader.records()[i].producers, whole.records()[i].producers);
  }
  EXPECT_TRUE(journals_of(file_).empty());
}

TEST_F(Segments, TheOpenStepIsDropped) {
  {
    TraceWriter writer(file_, {.segment_bytes = 3'000'000});
    for (std::int64_t step = 0; step < 5; ++step) record_step(writer, step);
    writer.reserve();
    writer.close_committed();
  }
  const TraceReader reader(file_);
  EXPECT_EQ(reader.records().size(), static_cast<std::size_t>(5 * jobs_per_step));
  EXPECT_EQ(files_with(".journal"), 0u);
}

}  // namespace
}  // namespace goldentrace
