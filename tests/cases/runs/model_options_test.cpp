// A03, A05, A07, A15 between two Hugging Face-shaped runs of TINY: the diff names the layer whose option differs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cases/models/tiny.h"
#include "tests/cases/runs/runs.h"
#include "tests/support/temporary_folder.h"

namespace goldentrace::cases {
namespace {

using testing::DoubleNear;
using testing::HasSubstr;

// One recorded run of TINY with the given weights, against another.
class TinyPair {
 public:
  explicit TinyPair(NamedTensors weights = tiny_weights()) : weights_(std::move(weights)) {}

  void golden(const GptOptions& options) { run("golden.h5", options); }
  Report against(const GptOptions& options, const DiffOptions& diff = {}) {
    run("b.h5", options);
    return compare(folder_ / "golden.h5", folder_ / "b.h5", diff);
  }

 private:
  void run(const std::string& file, const GptOptions& options) {
    record(folder_ / file, options, {.parameter = set_weights(weights_)});
  }

  testing_support::TemporaryFolder folder_;
  NamedTensors weights_;
};

DiffOptions allclose(double atol) { return {.gate = {.kind = GateKind::allclose, .rtol = 0, .atol = atol}}; }

GptOptions with_activation(Activation activation) {
  GptOptions options = tiny_options();
  options.config.activation_function = activation;
  return options;
}

double max_abs(const Report& report) { return report.roots.front().pair.judgement.comparison.max_abs; }

TEST(CausalMask, AFaultIsFoundAtTheProbabilities) {  // A03
  TinyPair tiny;
  tiny.golden(tiny_options());
  for (const MaskRule rule : {MaskRule::none, MaskRule::inverted, MaskRule::shifted}) {
    GptOptions options = tiny_options();
    options.config.mask_rule = rule;
    const Report report = tiny.against(options);
    EXPECT_EQ(report.verdict, Verdict::diverged);
    ASSERT_EQ(first_divergence(report), "h.0.attn.probs output 0 introduced");
    if (rule == MaskRule::none) {
      EXPECT_THAT(max_abs(report), DoubleNear(0.808, 0.001));
    }
  }
}

TEST(Activation, IsFoundAtTheActivation) {  // A05
  NamedTensors weights = tiny_weights();
  spread_tiny_gelu(weights);
  TinyPair tiny(weights);
  tiny.golden(with_activation(Activation::gelu));
  const GptOptions tanh = with_activation(Activation::gelu_new), quick = with_activation(Activation::quick_gelu);
  EXPECT_EQ(tiny.against(tanh, allclose(1e-3)).verdict, Verdict::same);
  const Report fine = tiny.against(tanh, allclose(1e-4));
  EXPECT_EQ(fine.verdict, Verdict::diverged);
  ASSERT_EQ(first_divergence(fine), "h.0.mlp.act output 0 introduced");
  EXPECT_THAT(max_abs(fine), DoubleNear(4.7e-4, 0.1e-4));
  for (const double atol : {1e-3, 1e-4}) {
    const Report report = tiny.against(quick, allclose(atol));
    EXPECT_EQ(report.verdict, Verdict::diverged);
    ASSERT_EQ(first_divergence(report), "h.0.mlp.act output 0 introduced");
    EXPECT_THAT(max_abs(report), DoubleNear(2.0e-2, 0.1e-2));
  }
}

TEST(Activation, TwoFormulasOfOneFunctionAgree) {  // A05
  TinyPair tiny;
  tiny.golden(with_activation(Activation::gelu_fast));
  const Report report = tiny.against(with_activation(Activation::gelu_new), allclose(1e-6));
  EXPECT_EQ(report.verdict, Verdict::same) << first_divergence(report);
}

TEST(Epsilon, IsFoundAtTheFirstNorm) {  // A07
  TinyPair tiny;
  tiny.golden(tiny_options());
  GptOptions options = tiny_options();
  options.config.layer_norm_epsilon = 1e-6;
  const Report report = tiny.against(options, allclose(1e-4));
  EXPECT_EQ(report.verdict, Verdict::diverged);
  ASSERT_EQ(first_divergence(report), "h.0.ln_1 output 0 introduced");
  EXPECT_THAT(max_abs(report), DoubleNear(9.2e-4, 0.1e-4));
  ASSERT_TRUE(report.roots.front().op.has_value());
  EXPECT_EQ(report.roots.front().op->status, "argument");
  EXPECT_THAT(report.roots.front().op->text, HasSubstr("1e-05 | 1e-06"));
}

TEST(Head, TiedInsteadOfItsOwnIsAnotherWeight) {  // A15
  TinyPair tiny;
  tiny.golden(tiny_options());
  GptOptions options = tiny_options();
  options.config.tie_word_embeddings = true;
  const Report report = tiny.against(options);
  EXPECT_EQ(report.verdict, Verdict::diverged);
  EXPECT_THAT(first_divergence(report), HasSubstr("lm_head param"));
  EXPECT_THAT(first_divergence(report), HasSubstr("weight"));
}

// `logits.float()` hands a float32 tensor on and makes a new one of a float64 tensor.
TEST(OtherDtype, IsANoteWhereTheValuesAgree) {
  const testing_support::TemporaryFolder folder;
  GptOptions options = small_gpt();
  record(folder / "float32.h5", options);
  options.dtype = at::kDouble;
  record(folder / "float64.h5", options);
  const Report report = compare(folder / "float32.h5", folder / "float64.h5");
  EXPECT_EQ(report.verdict, Verdict::same) << report.reason;
  EXPECT_THAT(report.notes, testing::Contains(HasSubstr("float32 against float64")));
  EXPECT_THAT(report.passed_through, testing::SizeIs(2));
}

TEST(Tiny, HasTheLossOfTheCases) {
  const testing_support::TemporaryFolder folder;
  const GptResult result = record(folder / "tiny.h5", tiny_options(), {.parameter = set_weights(tiny_weights())});
  EXPECT_THAT(result.losses.front(), DoubleNear(tiny_clean_loss, 1e-6));
}

}  // namespace
}  // namespace goldentrace::cases
