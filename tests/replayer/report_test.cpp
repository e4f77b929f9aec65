#include "replayer/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "replayer/json_report.h"
#include "replayer/text_report.h"

namespace goldentrace {
namespace {

using testing::HasSubstr;
using testing::Not;

ReplayedTensor tensor(Role role, ReplayVerdict verdict) {
  ReplayedTensor made;
  made.id = {3, 0, 0, Pass::backward, "h.1.mlp", 0, role, "weight"};
  made.verdict = verdict;
  made.shape = {2, 4};
  made.replayed_dtype = DType::float32;
  made.gate = "bitwise";
  return made;
}

ReplayReport sample() {
  ReplayReport report;
  report.trace = "run.h5";
  report.gate = "bitwise";
  report.threads = 2;
  ReplayedCall call;
  call.step = 3;
  call.layer = "h.1.mlp";
  call.verdict = report.verdict = ReplayVerdict::differs;
  call.tensors = {tensor(Role::grad_input, ReplayVerdict::bit_equal), tensor(Role::param_grad, ReplayVerdict::differs)};
  Judgement& judgement = call.tensors[1].judgement;
  judgement.measured = true;
  judgement.place = 6;
  judgement.a = 0.5;
  judgement.b = std::numeric_limits<double>::infinity();
  judgement.comparison.max_abs = 1;
  judgement.comparison.rel_frobenius = std::numeric_limits<double>::infinity();
  report.calls = {call};
  report.not_replayed = {{"(root)", Pass::update, 4, "updates are not replayed"}};
  return report;
}

TEST(ReplayReport, ExitCodes) {
  ReplayReport report;
  EXPECT_EQ(exit_code(report), 0);
  report.verdict = ReplayVerdict::within;
  EXPECT_EQ(exit_code(report), 0);
  report.verdict = ReplayVerdict::differs;
  EXPECT_EQ(exit_code(report), 1);
  report.verdict = ReplayVerdict::unsupported;
  EXPECT_EQ(exit_code(report), 2);
}

TEST(ReplayReport, Text) {
  const std::string text = text_report(sample());
  EXPECT_THAT(text, HasSubstr("replay run.h5 · gate bitwise · 2 threads"));
  EXPECT_THAT(text, HasSubstr("step 3 · micro 0 · rank 0 · forward · h.1.mlp · differs · 2 records"));
  EXPECT_THAT(text, HasSubstr("backward · param_grad weight · float32 [2, 4] · differs (bitwise)"));
  EXPECT_THAT(text, HasSubstr("at [1, 2] recorded 0.5, replayed inf"));
  EXPECT_THAT(text, HasSubstr("not replayed: (root) update (4 calls)"));
  EXPECT_THAT(text, HasSubstr("1 call: 1 differs"));
  EXPECT_THAT(text, Not(HasSubstr("grad_input")));
  EXPECT_THAT(text_report(sample(), Detail::verbose), HasSubstr("grad_input"));
}

TEST(ReplayReport, Json) {
  const auto json = nlohmann::json::parse(json_report(sample()));
  EXPECT_EQ(json["schema"], "goldentrace.replay/1");
  EXPECT_EQ(json["verdict"], "differs");
  EXPECT_TRUE(json["inputs"].is_null());
  const auto& record = json["calls"][0]["records"][1];
  EXPECT_EQ(record["id"], "3:0:0/backward/h.1.mlp#0/param_grad.weight");
  EXPECT_EQ(record["role"], "param_grad");
  EXPECT_EQ(record["metrics"]["max_abs"], 1.0);
  EXPECT_TRUE(record["metrics"]["rel_frobenius"].is_null());
  EXPECT_EQ(record["metrics"]["recorded"], 0.5);
  EXPECT_EQ(record["metrics"]["replayed"], "Infinity");
  EXPECT_EQ(record["metrics"]["worst_index"], (std::vector<int>{1, 2}));
  EXPECT_TRUE(json["calls"][0]["records"][0]["metrics"]["max_abs"].is_null());
  EXPECT_EQ(json["not_replayed"][0]["calls"], 4);
}

}  // namespace
}  // namespace goldentrace
