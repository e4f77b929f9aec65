// Figures of quality; the expected ones come from torch, in double precision.
#include "diff/quality.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "diff/diff.h"
#include "diff/json_report.h"
#include "diff/text_report.h"
#include "tests/diff/memory_trace.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

using testing::bytes_of;
using testing::floats;
using ::testing::HasSubstr;
using testing::id_of;
using testing::integers;
using testing::MemoryTrace;

const std::vector<float> logits_a{1, 2, 3, 0, 0, 1, 0, 2, 5, 1, 1, 1, 0, 0, 0, 1, 2, 2, 1, 0, 1, 3, 2, 0};
std::vector<float> changed() {
  std::vector<float> result = logits_a;
  result[0] = 3.5F;
  result[7] = 2.25F;
  result[21] = 2.5F;
  return result;
}
const std::vector<std::int64_t> targets{2, 3, -100, 3, 0, 1};

QualityFigures measure(const std::vector<float>& a, const std::vector<float>& b,
                       const std::vector<std::int64_t>& given) {
  const Shape shape{2, 3, 4};
  const auto bytes_a = bytes_of(a);
  const auto bytes_b = bytes_of(b);
  QualityMeter meter;
  meter.add({DType::float32, shape, bytes_a}, {DType::float32, shape, bytes_b}, given, 3);
  return meter.figures();
}

TEST(Quality, AgreesWithTorch) {
  const QualityFigures found = measure(logits_a, changed(), targets);
  EXPECT_NEAR(found.kl, 0.08325234588095168, 1e-14);
  EXPECT_NEAR(found.max_kl, 0.46244975460893306, 1e-14);
  EXPECT_DOUBLE_EQ(found.top1, 5.0 / 6);
  EXPECT_DOUBLE_EQ(found.equal_fraction, 21.0 / 24);
  EXPECT_EQ(found.targets, 5);
  EXPECT_EQ(found.documents, 2);
  EXPECT_NEAR(found.a.log_likelihood, -3.0354352824125064, 1e-13);
  EXPECT_NEAR(found.b.log_likelihood, -3.8334269459627173, 1e-13);
  EXPECT_NEAR(found.a.perplexity, 1.835078126744011, 1e-13);
  EXPECT_NEAR(found.b.perplexity, 2.152619320413237, 1e-13);
  EXPECT_NEAR(found.a.document_perplexity, 4.561801636436306, 1e-12);
  EXPECT_EQ(found.a.accuracy, 1);
  EXPECT_EQ(found.b.accuracy, 0.5);
  EXPECT_EQ(found.b.last_token_accuracy, 1);
}

TEST(Quality, EqualLogitsAreNoDistanceAway) {
  const QualityFigures found = measure(logits_a, logits_a, {});
  EXPECT_EQ(found.kl, 0);
  EXPECT_EQ(found.top1, 1);
  EXPECT_EQ(found.ulp_histogram[0], 24);
  EXPECT_EQ(found.targets, 0);
}

TEST(Quality, NonFinitePositionsAreCountedAndLeftOut) {
  std::vector<float> b = logits_a;
  b[5] = std::numeric_limits<float>::infinity();
  const QualityFigures found = measure(logits_a, b, targets);
  EXPECT_EQ(found.nonfinite_positions, 1);
  EXPECT_EQ(found.positions, 5);
  EXPECT_EQ(found.targets, 4);
  EXPECT_EQ(found.kl, 0);
}

TEST(Quality, TargetsMustFit) {
  EXPECT_THROW(measure(logits_a, logits_a, {2, 3, 4, 3, 0, 1}), Error);
  EXPECT_THROW(measure(logits_a, logits_a, {2, 3}), Error);
}

// A model whose logits are those above, in layer `logits`.
void fill(MemoryTrace& trace, const std::vector<float>& logits) {
  testing::Tensor labels = integers(targets);
  labels.shape = {2, 3};
  trace.declare("labels", labels);
  trace.add(id_of("logits", Role::output), floats(logits, {2, 3, 4}));
}

Report compare(const QualityOptions& quality, const std::vector<float>& b, bool with_payload = true) {
  MemoryTrace trace_a;
  MemoryTrace trace_b;
  fill(trace_a, logits_a);
  fill(trace_b, b);
  trace_b.with_payload = with_payload;
  DiffOptions options;
  options.quality = quality;
  return diff(trace_a.view(), trace_b.view(), options);
}

TEST(QualityGates, AreJudgedBesideTheTensors) {
  std::vector<float> near = logits_a;
  near[3] = 1e-6F;
  QualityOptions quality;
  quality.limits.max_kl = 1e-3;
  quality.limits.min_top1 = 1;
  EXPECT_EQ(compare(quality, near).verdict, Verdict::same);
  quality.limits.min_equal = 0.99;
  const Report report = compare(quality, near);
  EXPECT_EQ(report.verdict, Verdict::diverged);
  EXPECT_THAT(report.reason, HasSubstr("quality: min-equal 0.99: 0.958333"));
  EXPECT_THAT(to_text(report), HasSubstr("max-kl 0.001: "));
  EXPECT_THAT(to_json(report), HasSubstr("\"top1_agreement\": 1.0"));
}

TEST(QualityGates, CanDecideAlone) {
  QualityOptions quality;
  quality.limits.min_top1 = 0.8;
  EXPECT_EQ(compare(quality, changed()).verdict, Verdict::diverged);
  quality.decides = true;
  const Report report = compare(quality, changed());
  EXPECT_EQ(report.verdict, Verdict::same);
  EXPECT_THAT(report.reason, HasSubstr("quality within its limits; of the tensors: first divergence"));
  quality.limits.min_top1 = 0.9;
  EXPECT_EQ(compare(quality, changed()).verdict, Verdict::diverged);
  quality.limits = {};
  quality.limits.max_accuracy_drop = 0.25;
  EXPECT_THAT(compare(quality, changed()).reason, HasSubstr("max-accuracy-drop 0.25: 0.5"));
}

TEST(QualityGates, NaNNeverPasses) {
  std::vector<float> b = logits_a;
  b[5] = std::numeric_limits<float>::quiet_NaN();
  QualityOptions quality;
  quality.limits.max_kl = 10;
  quality.decides = true;
  EXPECT_EQ(compare(quality, b).verdict, Verdict::diverged);
}

TEST(QualityGates, WhatCannotBeMeasuredIsIncomparable) {
  QualityOptions quality;
  quality.limits.max_kl = 1;
  EXPECT_EQ(compare(quality, logits_a).verdict, Verdict::same);
  EXPECT_EQ(compare(quality, logits_a, false).verdict, Verdict::incomparable);
  quality.layer = "head";
  const Report report = compare(quality, logits_a);
  EXPECT_EQ(report.verdict, Verdict::incomparable);
  EXPECT_THAT(report.reason, HasSubstr("no forward output of head is in both traces"));
  quality.layer.clear();
  quality.targets = {1, 2};
  quality.targets_name = "t.npy";
  EXPECT_THAT(compare(quality, logits_a).reason, HasSubstr("2 targets"));
}

TEST(Percentile, LetsAFewElementsBeOut) {
  std::vector<float> values(1000, 1.0F);
  std::vector<float> others = values;
  others[17] = 1.5F;
  const auto bytes_a = bytes_of(values);
  const auto bytes_b = bytes_of(others);
  const Shape shape{1000};
  const auto passes = [&](GateKind kind, double percentile) {
    Gate gate;
    gate.kind = kind;
    gate.percentile = percentile;
    return judge({DType::float32, shape, bytes_a}, {DType::float32, shape, bytes_b}, gate).passes();
  };
  for (const GateKind kind : {GateKind::bitwise, GateKind::allclose}) {
    EXPECT_TRUE(passes(kind, 99.9));
    EXPECT_FALSE(passes(kind, 99.91));
    EXPECT_FALSE(passes(kind, 100));
  }
}

}  // namespace
}  // namespace goldentrace
