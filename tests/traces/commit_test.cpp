#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"
#include "tests/traces/sample_trace.h"
#include "traces/trace_reader.h"

namespace goldentrace {
namespace {

using namespace testing_support;

using Rows = std::vector<std::int64_t>;

class Commit : public testing::Test {
 protected:
  static void add_step(TraceWriter& writer, std::int64_t step, const Rows& producers) {
    const Bytes bytes = random_bytes(static_cast<std::uint64_t>(step), 12);
    add_record(writer, output_of("layers.0", step), DType::float32, {3}, bytes, producers);
    writer.add_call({.step = step, .layer = "layers.0"});
  }

  TemporaryFolder folder_;
};

TEST_F(Commit, TheOpenStepIsDropped) {
  {
    TraceWriter writer(folder_ / "run.h5");
    add_step(writer, 0, {});
    add_step(writer, 1, {0});
    writer.commit();
    add_step(writer, 2, {1});
    EXPECT_EQ(writer.record_count(), 3);
    writer.close_committed();
  }
  const TraceReader reader(folder_ / "run.h5");
  ASSERT_EQ(reader.records().size(), 2u);
  EXPECT_EQ(reader.records()[1].producers, Rows{0});
  EXPECT_EQ(reader.calls().size(), 2u);
  reader.verify();
}

TEST_F(Commit, NothingCommittedLeavesTheOlderFile) {
  {
    TraceWriter older(folder_ / "run.h5");
    add_step(older, 7, {});
    older.close();
  }
  {
    TraceWriter writer(folder_ / "run.h5");
    add_step(writer, 0, {});
    writer.close_committed();
  }
  EXPECT_EQ(TraceReader(folder_ / "run.h5").records().front().id.step, 7);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "run.h5.partial"));
}

TEST_F(Commit, CloseKeepsEverything) {
  {
    TraceWriter writer(folder_ / "run.h5");
    add_step(writer, 0, {});
    writer.commit();
    add_step(writer, 1, {0});
    writer.close();
  }
  const TraceReader reader(folder_ / "run.h5");
  ASSERT_EQ(reader.records().size(), 2u);
  EXPECT_EQ(reader.records()[1].producers, Rows{0});
  EXPECT_EQ(reader.calls().size(), 2u);
}

}  // namespace
}  // namespace goldentrace
