// The same through files: written by TraceWriter, read by TraceReader.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "diff/diff.h"
#include "diff/text_report.h"
#include "tests/diff/memory_trace.h"
#include "traces/trace_reader.h"

namespace goldentrace {
namespace {

using ::testing::Contains;
using testing::floats;
using ::testing::HasSubstr;
using testing::id_of;
using testing::MemoryTrace;
using testing::op;
using testing::real_argument;
using testing::tape_of;
using testing::tensor_argument;

class TraceFiles : public ::testing::Test {
 protected:
  TraceFiles() : folder_(std::filesystem::temp_directory_path() / ("gt_diff_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~TraceFiles() override { std::filesystem::remove_all(folder_); }

  // Three layers in a row; `factor` scales the output of the middle one and everything after it.
  std::filesystem::path write(const std::string& name, float factor, bool with_payload = true) {
    MemoryTrace trace;
    trace.with_payload = with_payload;
    auto before = trace.declare("x", floats({1, 2, 3}));
    for (int i = 0; i < 3; ++i) {
      const std::string layer = "layers." + std::to_string(i);
      const auto weight = trace.add(id_of(layer, Role::param, "weight"), floats({static_cast<float>(i), 1}));
      std::vector<float> values(600);
      for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<float>(k + 1) * (i < 1 ? 1 : factor);
      before = trace.add(id_of(layer, Role::output), floats(values, {20, 30}), {before, weight});
      std::vector<TapeOp> ops{op("aten::relu", {tensor_argument(0)}, 1)};
      if (i == 1 && factor != 1) ops.push_back(op("aten::mul", {tensor_argument(1), real_argument(factor)}, 2));
      trace.call(layer, tape_of(layer, ops));
    }
    trace.header["model.name"] = "test";
    trace.write(folder_ / name);
    return folder_ / name;
  }

  static Report compare(const std::filesystem::path& a, const std::filesystem::path& b) {
    return diff(TraceReader(a), TraceReader(b));
  }

  std::filesystem::path folder_;
};

TEST_F(TraceFiles, EqualFilesAreSame) {
  const Report report = compare(write("a.h5", 1), write("b.h5", 1));
  EXPECT_EQ(exit_code(report), 0);
  EXPECT_EQ(report.certified_prefix, 7);
  EXPECT_TRUE(report.notes.empty());
}

TEST_F(TraceFiles, TheSameFileIsNoted) {
  const auto path = write("a.h5", 1);
  const Report report = compare(path, path);
  EXPECT_EQ(exit_code(report), 0);
  EXPECT_THAT(report.notes, Contains("A and B are the same file"));
}

TEST_F(TraceFiles, AFaultIsFoundAtItsLayerAndOp) {
  const Report report = compare(write("a.h5", 1), write("b.h5", 1.01F));
  EXPECT_EQ(exit_code(report), 1);
  const Divergence& root = report.roots.at(0);
  EXPECT_EQ(root.pair.id.layer, "layers.1");
  ASSERT_TRUE(root.op);
  EXPECT_EQ(root.op->status, "only_in_b");
  EXPECT_THAT(to_text(report), HasSubstr("ratio 1.01"));
  EXPECT_EQ(report.certified_prefix, 4);
}

TEST_F(TraceFiles, AFaultIsFoundFromSketches) {
  const Report report = compare(write("a.h5", 1, false), write("b.h5", 1.01F, false));
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_EQ(report.roots.at(0).pair.id.layer, "layers.1");
  EXPECT_TRUE(report.roots.at(0).pair.judgement.estimated);
  EXPECT_THAT(to_text(report), HasSubstr("ratio 1.01"));
}

TEST_F(TraceFiles, AGoldenOfSketchesMeetsACandidateWithPayload) {
  EXPECT_EQ(exit_code(compare(write("a.h5", 1, false), write("b.h5", 1))), 0);
  EXPECT_EQ(exit_code(compare(write("a.h5", 1, false), write("c.h5", 1.01F))), 1);
}

}  // namespace
}  // namespace goldentrace
