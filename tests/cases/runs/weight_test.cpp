// One initial weight changed by one unit in the last place is the first divergence, named as a weight.
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/cases/runs/runs.h"
#include "tests/support/temporary_folder.h"

namespace goldentrace::cases {
namespace {

Variation nudged(const std::string& parameter) {
  Variation variation;
  variation.parameter = [parameter](const std::string& name, const at::Tensor& value) {
    if (name != parameter) return;
    float& element = value.data_ptr<float>()[value.numel() / 2];
    element = std::nextafter(element, 1e9F);
  };
  return variation;
}

void expect_weight(const Report& report, const std::string& layer, const std::string& index) {
  EXPECT_EQ(report.verdict, Verdict::diverged) << report.reason;
  ASSERT_FALSE(report.roots.empty());
  const Divergence& root = report.roots.front();
  EXPECT_EQ(first_divergence(report), layer + " param " + root.pair.id.index + " weight");
  EXPECT_NE(root.pair.id.index.find(index), std::string::npos) << root.pair.id.index;
  EXPECT_EQ(root.pair.judgement.comparison.max_ulp, 1U);
}

TEST(OneUlp, OfTheMlp) {
  const testing_support::TemporaryFolder folder;
  record(folder / "golden.h5", small_mlp());
  for (const char* layer : {"layers.0", "layers.3"}) {
    record(folder / "b.h5", small_mlp(), nudged(std::string(layer) + ".weight"));
    expect_weight(compare(folder / "golden.h5", folder / "b.h5"), layer, "weight");
  }
}

TEST(OneUlp, OfTheGpt) {
  const testing_support::TemporaryFolder folder;
  record(folder / "golden.h5", small_gpt());
  for (const char* layer : {"h.0.attn.c_attn", "h.1.mlp.c_proj"}) {
    record(folder / "b.h5", small_gpt(), nudged("transformer." + std::string(layer) + ".weight"));
    expect_weight(compare(folder / "golden.h5", folder / "b.h5"), layer, "weight");
  }
}

}  // namespace
}  // namespace goldentrace::cases
