// E11: tens of thousands of small tensors. What a diff reads grows with the file and not with the number of records or
// the length of names; times are the benchmarks' business.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "diff/diff.h"
#include "kernels/fingerprint.h"
#include "tests/support/temporary_folder.h"
#include "traces/trace_reader.h"
#include "traces/trace_writer.h"

namespace goldentrace {
namespace {

struct Counts {
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
};

// Read calls of this process so far, and the bytes that they gave.
Counts reads() {
  std::ifstream file("/proc/self/io");
  Counts counts;
  std::string name;
  std::uint64_t value = 0;
  while (file >> name >> value) {
    if (name == "rchar:") counts.bytes = value;
    if (name == "syscr:") counts.calls = value;
  }
  return counts;
}

class ManyRecords : public ::testing::Test {
 protected:
  // Tensors of 4 floats, one a layer.
  std::filesystem::path write(int count, const std::string& prefix) {
    const std::filesystem::path path = folder_ / (std::to_string(++files_) + ".h5");
    TraceWriter writer(path);
    for (int i = 0; i < count; ++i) {
      const float values[] = {static_cast<float>(i), 1, 2, 3};
      Record record;
      record.id.layer = prefix + std::to_string(i);
      record.shape = {4};
      record.fingerprint = fingerprint(std::as_bytes(std::span(values)), DType::float32);
      writer.add(record, std::as_bytes(std::span(values)));
    }
    writer.close();
    return path;
  }

  // Of opening both files and comparing them.
  Counts reads_of_diff(const std::filesystem::path& a, const std::filesystem::path& b, std::int64_t count) {
    const Counts before = reads();
    const Report report = diff(TraceReader(a), TraceReader(b));
    const Counts after = reads();
    EXPECT_EQ(report.verdict, Verdict::same);
    EXPECT_EQ(report.bitwise_equal, count);
    return {after.calls - before.calls, after.bytes - before.bytes};
  }

  testing_support::TemporaryFolder folder_;
  int files_ = 0;
};

TEST_F(ManyRecords, AreReadInAFewLargePieces) {
  const Counts once = reads_of_diff(write(20000, "h."), write(20000, "h."), 20000);
  const Counts twice = reads_of_diff(write(40000, "h."), write(40000, "h."), 40000);
  EXPECT_LT(once.calls, 400U) << "a read for every record would be tens of thousands";
  EXPECT_LT(static_cast<double>(twice.calls), 2.5 * static_cast<double>(once.calls));
  EXPECT_LT(static_cast<double>(twice.bytes), 2.5 * static_cast<double>(once.bytes));
}

TEST_F(ManyRecords, NeedNoMoreReadsUnderLongNames) {
  const std::string long_name(200, 'x');
  const Counts short_names = reads_of_diff(write(20000, "h."), write(20000, "h."), 20000);
  const Counts long_names = reads_of_diff(write(20000, long_name), write(20000, long_name), 20000);
  EXPECT_LT(long_names.calls, short_names.calls + 64) << "4 MB of names are a few more pieces";
}

TEST_F(ManyRecords, OfOneElementDoNotTakeWholeChunks) {
  EXPECT_LT(std::filesystem::file_size(write(20000, "h.")), 20000U * 200);
}

}  // namespace
}  // namespace goldentrace
