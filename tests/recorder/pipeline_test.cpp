// Jobs that run behind the model give the file that the same records give one by one.
#include "recorder/pipeline.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstring>

#include "kernels/fingerprint.h"
#include "tests/support/temporary_folder.h"
#include "tests/traces/sample_trace.h"
#include "traces/error.h"
#include "traces/trace_reader.h"

namespace goldentrace {
namespace {

using namespace testing_support;

constexpr std::size_t pool_bytes = std::size_t{8} << 20;

class PipelineTest : public testing::TestWithParam<int> {
 protected:
  std::filesystem::path file(const std::string& name = "run.h5") const { return folder_ / name; }
  Pipeline::Options options() const { return {.workers = GetParam(), .pool_bytes = pool_bytes}; }

  static Record record(std::int64_t number, const Bytes& bytes) {
    Record record{.id = output_of("layer" + std::to_string(number % 7), number)};
    record.shape = {static_cast<std::int64_t>(bytes.size() / 4)};
    if (number > 0) record.producers = {number - 1};
    return record;
  }

  static std::shared_ptr<Content> content_of(const Bytes& bytes) {
    return std::make_shared<Content>(DType::float32, bytes.size(), content_hash(bytes));
  }

  // A copied payload, in place where there is no room.
  static std::shared_ptr<Content> send(TraceWriter& writer, Pipeline& pipeline, const Bytes& bytes) {
    Job job{.row = writer.reserve(), .content = content_of(bytes), .payload = Payload::copied, .sketch_size = 16};
    job.record = record(job.row, bytes);
    auto content = job.content;
    if (const auto room = pipeline.room(bytes.size())) {
      std::memcpy(room.get(), bytes.data(), bytes.size());
      job.bytes = room;
      pipeline.push(std::move(job));
    } else {
      pipeline.run_here(job, bytes);
    }
    return content;
  }

  static Bytes bytes_of_job(int number) {
    const auto seed = static_cast<std::uint64_t>(number);
    return random_bytes(seed, 4 * (1 + seed * 7919 % 60000));
  }

  static void expect_equal(const TraceReader& a, const TraceReader& b) {
    ASSERT_EQ(a.records().size(), b.records().size());
    for (std::size_t i = 0; i < a.records().size(); ++i) {
      const auto row = static_cast<std::int64_t>(i);
      EXPECT_EQ(a.records()[i].id, b.records()[i].id);
      EXPECT_EQ(a.records()[i].producers, b.records()[i].producers);
      EXPECT_EQ(a.records()[i].fingerprint.hash, b.records()[i].fingerprint.hash);
      EXPECT_EQ(a.records()[i].fingerprint.statistics, b.records()[i].fingerprint.statistics);
      EXPECT_EQ(a.sketch(row), b.sketch(row));
      EXPECT_EQ(a.payload(row), b.payload(row));
    }
  }

  TemporaryFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(Workers, PipelineTest, testing::Values(1, 2, 4));

TEST_P(PipelineTest, EqualsOneByOne) {
  constexpr int jobs = 120;
  TraceWriter one_by_one(file("plain.h5"));
  for (int i = 0; i < jobs; ++i) {
    const Bytes bytes = bytes_of_job(i);
    Record each = record(i, bytes);
    each.fingerprint = fingerprint(bytes, DType::float32, {16});
    one_by_one.add(each, bytes);
  }
  one_by_one.close();

  TraceWriter writer(file());
  {
    Pipeline pipeline(writer, nullptr, options());
    for (int i = 0; i < jobs; ++i) {
      send(writer, pipeline, bytes_of_job(i));
      if (i % 10 == 9) writer.commit();
    }
    pipeline.finish();
  }
  writer.close();
  expect_equal(TraceReader(file()), TraceReader(file("plain.h5")));
}

TEST_P(PipelineTest, KnownContentNeedsNoBytes) {
  const Bytes bytes = random_bytes(1, 400000);
  TraceWriter writer(file());
  {
    Pipeline pipeline(writer, nullptr, options());
    const auto content = send(writer, pipeline, bytes);
    for (int i = 0; i < 20; ++i) {
      Job job{.row = writer.reserve(), .content = content, .payload = Payload::known};
      job.record = record(job.row, bytes);
      pipeline.push(std::move(job));
    }
    pipeline.finish();
  }
  writer.close();
  const TraceReader reader(file());
  for (std::int64_t row = 0; row < 21; ++row) EXPECT_EQ(reader.payload(row), bytes) << row;
  EXPECT_EQ(reader.records()[20].fingerprint.statistics, reader.records()[0].fingerprint.statistics);
}

TEST_P(PipelineTest, FingerprintsOfEqualContentComeFromTheGolden) {
  const Bytes bytes = random_bytes(1, 4000);
  Record golden_record = record(0, bytes);
  golden_record.fingerprint = fingerprint(bytes, DType::float32, {16});
  golden_record.fingerprint.statistics.mean = 77;  // as no worker would find it
  TraceWriter golden_writer(file("golden.h5"));
  golden_writer.header()["capture.sketch_size"] = "16";
  golden_writer.add(golden_record, {});
  golden_writer.close();
  const Golden golden(file("golden.h5"));
  ASSERT_EQ(golden.find(golden_record.id, 0), 0);
  EXPECT_TRUE(golden.has_sketches(16));
  EXPECT_TRUE(golden.has_equal(0, golden_record));

  TraceWriter writer(file());
  {
    Pipeline pipeline(writer, &golden, options());
    Job job{.row = writer.reserve(), .record = record(0, bytes), .content = content_of(bytes), .golden_row = 0};
    pipeline.push(std::move(job));
    pipeline.finish();
  }
  writer.close();
  const TraceReader reader(file());
  EXPECT_EQ(reader.records()[0].fingerprint.statistics.mean, 77);
  EXPECT_EQ(reader.sketch(0), TraceReader(file("golden.h5")).sketch(0));
}

TEST_P(PipelineTest, AFailureEndsItAndNobodyHangs) {
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, SIG_IGN);
  TraceWriter writer(file());
  const rlimit small{300000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  {
    Pipeline pipeline(writer, nullptr, options());
    EXPECT_THROW(
        {
          for (int i = 0; i < 200; ++i) send(writer, pipeline, bytes_of_job(i));
          pipeline.finish();
        },
        Error);
    EXPECT_THROW(pipeline.finish(), Error);
    EXPECT_THROW(pipeline.push(Job{.content = content_of({})}), Error);
  }
  setrlimit(RLIMIT_FSIZE, &before);
}

TEST_P(PipelineTest, GoesWithWhatIsQueued) {
  TraceWriter writer(file());
  {
    Pipeline pipeline(writer, nullptr, options());
    for (int i = 0; i < 50; ++i) send(writer, pipeline, bytes_of_job(i));
  }
  EXPECT_FALSE(std::filesystem::exists(file()));
}

}  // namespace
}  // namespace goldentrace
