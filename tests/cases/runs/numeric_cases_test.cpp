// A07, B03, B05, B06, F15: runs that differ in their numerics, their batch or their padding, and not in their weights.
#include <ATen/Context.h>
#include <ATen/ops/full.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/record_function.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/wire.h"
#include "diff/text_report.h"
#include "models/gpt_model.h"
#include "models/gpt_parameters.h"
#include "tests/cases/models/tiny.h"
#include "tests/cases/runs/runs.h"
#include "tests/support/temporary_folder.h"

namespace goldentrace::cases {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::Not;

auto hint_says(const std::string& text) { return Contains(Field(&Diagnosis::text, HasSubstr(text))); }

template <class Body>
at::Tensor layer(const char* label, const Body& body) {
  RECORD_USER_SCOPE(label);
  return body();
}

class Numerics : public testing::Test {
 protected:
  GptResult tiny(const std::string& file, const GptOptions& options, Variation variation = {}) const {
    variation.parameter = set_weights(tiny_megatron_weights());
    return record(path(file), options, variation);
  }
  void run(const std::string& file, const std::function<void()>& program) const {
    RecorderOptions options;
    options.output = path(file);
    Recorder recorder(options);
    recorder.step(0);
    program();
    recorder.close();
  }
  Report compared(const DiffOptions& options = {}) const { return compare(path("a.h5"), path("b.h5"), options); }
  std::filesystem::path path(const std::string& file) const { return folder_ / file; }

  testing_support::TemporaryFolder folder_;
};

// A07: the epsilon of a norm counts most where the variance is small.

void norm_of_rows(const at::Tensor& rows, double eps) {
  const at::Tensor y = layer("norm", [&] { return at::layer_norm(rows, {4}, {}, {}, eps); });
  layer("end", [&] { return y.add(1); });
}

TEST_F(Numerics, A07RowsOfSmallVarianceShowItMost) {
  const at::Tensor row = at::tensor({1.F, -1.F, 2.F, -2.F});
  const at::Tensor rows = at::stack({row, row.mul(1e-2), row.mul(1e-3)});
  run("a.h5", [&] { norm_of_rows(rows, 1e-5); });
  run("b.h5", [&] { norm_of_rows(rows, 1e-6); });
  const at::Tensor a = recorded(path("a.h5"), "0:0:0/forward/norm#0/output.0").select(1, 0);
  const at::Tensor b = recorded(path("b.h5"), "0:0:0/forward/norm#0/output.0").select(1, 0);
  const double of_a[] = {0.632454, 0.620174, 0.282843}, of_b[] = {0.632455, 0.631194, 0.534522};
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(a[i].item<double>(), of_a[i], 1e-6);
    EXPECT_NEAR(b[i].item<double>(), of_b[i], 1e-6);
  }
  const Report report = compared();
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_EQ(first_divergence(report), "norm output 0 introduced");
  EXPECT_THAT(report.diagnosis, hint_says("norm epsilon 1e-05 | 1e-06"));
  EXPECT_THAT(to_text(report), HasSubstr("worst row 2 "));
}

// B03: one sample of the batch alone.

GptOptions first_sample(const GptOptions& options) {
  GptOptions result = options;
  GptBatch& batch = result.batches.front();
  batch = {batch.ids.slice(0, 0, 1).clone(), batch.labels.slice(0, 0, 1).clone(), {}, {}};
  return result;
}

DiffOptions of_sample_0() {
  DiffOptions options;
  options.positions.sample = {0, 0};
  return options;
}

class OneSample : public Numerics {
 protected:
  void run(const std::string& file, const GptOptions& options, const std::string& plant = "") const {
    record(path(file), options, {.plant = plant, .parameter = set_weights(tiny_weights())});
  }
};

TEST_F(OneSample, B03OfTheBatchAgreesWithItAlone) {
  run("a.h5", first_sample(tiny_options()));
  run("b.h5", tiny_options());
  const Report report = compared(of_sample_0());
  EXPECT_EQ(exit_code(report), 0) << to_text(report);
  EXPECT_GT(report.bitwise_equal, 0);
  // Which kernels ran decides whether there is one.
  EXPECT_EQ(report.first_unequal.has_value(), report.within_gate > 0);
  run("b.h5", tiny_options(), "scale=1.01@h.1.mlp.act");
  EXPECT_EQ(first_divergence(compared(of_sample_0())), "h.1.mlp.act output 0 introduced");
}

TEST_F(OneSample, B03OtherBatchSizesAreOtherInputs) {
  run("a.h5", first_sample(tiny_options()));
  run("b.h5", tiny_options());
  const Report report = compared();
  EXPECT_EQ(exit_code(report), 2);
  EXPECT_THAT(report.reason, HasSubstr("inputs differ"));
  EXPECT_THAT(report.reason, HasSubstr("[1, 5] | [2, 5]"));
}

// B05: q = k = 150 with four elements a head, whose products pass float16's largest number.

enum class Attention { scaled_late, scaled_early, library };

void attend(Attention kind) {
  const at::Tensor q = layer("layers.0.self_attention.query", [] { return at::full({1, 1, 2, 4}, 150, at::kHalf); });
  const at::Tensor k = layer("layers.0.self_attention.key", [&] { return q.clone(); });
  const at::Tensor v = layer("layers.0.self_attention.value", [] { return at::ones({1, 1, 2, 4}, at::kHalf); });
  at::Tensor context;
  if (kind == Attention::library) {
    context = layer("layers.0.self_attention.context", [&] { return at::scaled_dot_product_attention(q, k, v); });
  } else {
    const at::Tensor scores = layer("layers.0.self_attention.scores", [&] {
      const at::Tensor columns = k.transpose(2, 3);
      return kind == Attention::scaled_late ? at::matmul(q, columns).mul(0.5) : at::matmul(q.mul(0.5), columns);
    });
    const at::Tensor probs = layer("layers.0.self_attention.probs", [&] { return at::softmax(scores, -1); });
    context = layer("layers.0.self_attention.context", [&] { return at::matmul(probs, v); });
  }
  layer("end", [&] { return context.add(1); });
}

TEST_F(Numerics, B05ScoresThatOverflow) {
  run("a.h5", [] { attend(Attention::scaled_late); });
  run("b.h5", [] { attend(Attention::scaled_early); });
  const Report report = compared();
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_EQ(first_divergence(report), "layers.0.self_attention.scores output 0 introduced");
  EXPECT_THAT(to_text(report), HasSubstr("Inf 4 | 0"));
  ASSERT_TRUE(report.nonfinite_a.has_value());
  EXPECT_EQ(report.nonfinite_a->id.layer, "layers.0.self_attention.scores");
  EXPECT_FALSE(report.nonfinite_b.has_value());
  EXPECT_THAT(to_text(report), HasSubstr("layers.0.self_attention.scores · output 0 [0, 0, 0, 0] is Infinity"));
}

TEST_F(Numerics, B05AgainstTheLibraryTheContextIsTheFirstTapOfBoth) {
  run("a.h5", [] { attend(Attention::scaled_late); });
  run("b.h5", [] { attend(Attention::library); });
  for (const bool turned : {false, true}) {
    const Report report = turned ? compare(path("b.h5"), path("a.h5")) : compared();
    EXPECT_EQ(exit_code(report), 1);
    EXPECT_EQ(first_divergence(report), "layers.0.self_attention.context output 0 introduced") << to_text(report);
    const auto& nonfinite = turned ? report.nonfinite_b : report.nonfinite_a;
    ASSERT_TRUE(nonfinite.has_value());
    EXPECT_EQ(nonfinite->id.layer, "layers.0.self_attention.scores");
  }
}

// Where nothing overflows, taps that only one side has are all there is.
TEST_F(Numerics, B05AgainstTheLibraryValuesThatFitAgree) {
  run("a.h5", [] { attend(Attention::scaled_early); });
  run("b.h5", [] { attend(Attention::library); });
  const Report report = compared();
  EXPECT_EQ(report.mismatched, 0) << to_text(report);
  EXPECT_THAT(report.reason, HasSubstr("missing: "));
}

TEST_F(Numerics, B05BothWaysOfScalingAgreeWhereNothingOverflows) {
  run("a.h5", [] { attend(Attention::scaled_early); });
  run("b.h5", [] { attend(Attention::scaled_early); });
  const Report report = compared();
  EXPECT_EQ(exit_code(report), 0);
  EXPECT_FALSE(report.nonfinite_a.has_value());
}

// B06: both operands of every linear rounded to 10 mantissa bits; the forward pass alone.

class RoundedOperands : public Numerics {
 protected:
  void run() const {
    forward("a.h5", LinearOperands::full);
    const bool before = at::globalContext().allowTF32CuBLAS();
    at::globalContext().setAllowTF32CuBLAS(true);
    forward("b.h5", LinearOperands::tf32);
    at::globalContext().setAllowTF32CuBLAS(before);
  }

 private:
  void forward(const std::string& file, LinearOperands operands) const {
    GptOptions options = tiny_options();
    options.config.linear_operands = operands;
    const GptParameters parameters = allocate_parameters(dims_of(options));
    RecorderOptions settings;
    settings.output = path(file);
    Recorder recorder(settings);
    const Events events = wire(recorder, {});
    events.step(0);
    events.micro(0);
    const auto set = set_weights(tiny_weights());
    for (const NamedTensor& entry : named(parameters, GptKind::hf)) {
      set(entry.name, entry.tensor);
      entry.tensor.set_requires_grad(true);
      events.parameter(entry.name, entry.tensor);
    }
    const GptBatch& batch = options.batches.front();
    events.input("ids", batch.ids);
    gpt_loss(gpt_logits(options.config, parameters, batch.ids, batch.mask, events), batch.labels, events);
    recorder.close();
  }
};

TEST_F(RoundedOperands, B06IsFoundAtTheFirstProduct) {
  run();
  DiffOptions tight{.gate = {.kind = GateKind::allclose, .rtol = 1e-5, .atol = 0}, .limit = 1000};
  const Report report = compared(tight);
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_EQ(first_divergence(report), "h.0.attn.c_attn output 0 introduced");
  for (const PairReport& pair : report.mismatches) {
    if (pair.id.pass == Pass::forward) {
      EXPECT_THAT(pair.id.layer, Not(testing::AnyOf("wte", "wpe", "drop", "h.0.ln_1")));
    }
  }
  EXPECT_THAT(report.diagnosis, hint_says("allow_tf32 differs: false | true"));
}

TEST_F(RoundedOperands, B06IsWithinTheNormRelativeGate) {
  run();
  const Report report = compared({.gate = {.kind = GateKind::rel, .rel = 1e-3}, .limit = 1000});
  EXPECT_EQ(exit_code(report), 0) << to_text(report);
  double worst = 0;
  for (const PairReport& pair : report.closest)
    if (pair.id.pass == Pass::forward && pair.id.role == Role::output)
      worst = std::max(worst, pair.judgement.comparison.rel_frobenius);
  EXPECT_NEAR(worst, 3.5e-4, 0.5e-4);
  // Elementwise, near-zero elements fail even so.
  EXPECT_EQ(exit_code(compared({.gate = {.kind = GateKind::allclose, .rtol = 1e-3, .atol = 0}})), 1);
}

// F15: sample 1 ends with two positions of padding.

GptOptions padded() {
  GptOptions options = tiny_megatron_options();
  GptBatch& batch = options.batches.front();
  batch.mask = at::ones({2, 5}, at::kLong);
  batch.mask[1].slice(0, 3).zero_();
  batch.labels[1].slice(0, 2).fill_(ignored_label);
  return options;
}

// Adds to positions [from, to) of one sample where [s, b, h] leaves the first norm.
Variation garbage(std::int64_t sample, std::int64_t from, std::int64_t to) {
  Variation variation;
  variation.alter = [=](const std::string& name, at::Tensor output) {
    if (name != "layers.0.input_layernorm") return output;
    at::Tensor changed = output.clone();
    changed.slice(0, from, to).select(1, sample).add_(3);
    return changed;
  };
  return variation;
}

TEST_F(Numerics, F15GarbageAtPaddedPositions) {
  tiny("a.h5", padded());
  tiny("b.h5", padded(), garbage(1, 3, 5));
  const Report report = compared();
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_EQ(first_divergence(report), "layers.0.input_layernorm output 0 introduced");
  EXPECT_THAT(report.diagnosis, hint_says("only positions 3, 4 of sample 1: padding"));
}

TEST_F(Numerics, F15AFaultAtAValidPositionIsNoPadding) {
  tiny("a.h5", padded());
  tiny("b.h5", padded(), garbage(1, 2, 5));
  const Report report = compared();
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_EQ(first_divergence(report), "layers.0.input_layernorm output 0 introduced");
  EXPECT_THAT(report.diagnosis, Not(hint_says("padding")));
}

// Of the Hugging Face shape: [b, s, h].
GptOptions padded_batch_first() {
  GptOptions options = tiny_options();
  options.batches = padded().batches;
  return options;
}

class PaddedBatch : public Numerics {
 protected:
  // Adds to positions [from, 5) of sample 1 in B.
  Report with_garbage_from(std::int64_t from, const PositionChoice& positions) const {
    Variation variation{.parameter = set_weights(tiny_weights())};
    record(path("a.h5"), padded_batch_first(), variation);
    variation.alter = [from](const std::string& name, at::Tensor output) {
      if (name != "h.0.ln_1") return output;
      at::Tensor changed = output.clone();
      changed[1].slice(0, from, 5).add_(3);
      return changed;
    };
    record(path("b.h5"), padded_batch_first(), variation);
    DiffOptions options;
    options.positions = positions;
    return compared(options);
  }
  static PositionChoice mask() {
    PositionChoice positions;
    positions.mask = {1, 1, 1, 1, 1, 1, 1, 1, 0, 0};
    positions.shape = {2, 5};
    positions.name = "mask.npy";
    return positions;
  }
};

TEST_F(PaddedBatch, F15WithoutTheMaskPaddingIsFound) {
  const Report report = with_garbage_from(3, {});
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_EQ(first_divergence(report), "h.0.ln_1 output 0 introduced");
  EXPECT_THAT(report.diagnosis,
              testing::ElementsAre(Field(&Diagnosis::text, "only positions 3, 4 of sample 1: padding")));
}

TEST_F(PaddedBatch, F15WithTheMaskItDoesNotCount) {
  const Report report = with_garbage_from(3, mask());
  EXPECT_EQ(exit_code(report), 0) << to_text(report);
  EXPECT_THAT(to_text(report), HasSubstr("8 of 10 positions compared"));
}

TEST_F(PaddedBatch, F15WithTheMaskAFaultAtAValidPositionCounts) {
  const Report report = with_garbage_from(2, mask());
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_EQ(first_divergence(report), "h.0.ln_1 output 0 introduced");
}

// Of Megatron's shape against Hugging Face's, in either order; B has garbage from a position of sample 1 on.
class PaddedShapes : public PaddedBatch {
 protected:
  Report across(std::int64_t from, const PositionChoice& positions, bool turned = false) const {
    Variation of_megatron, of_hf;
    (turned ? of_megatron : of_hf).alter = [=](const std::string& name, at::Tensor output) {
      if (name != (turned ? "layers.0.input_layernorm" : "h.0.ln_1") || from >= 5) return output;
      at::Tensor changed = output.clone();
      changed.select(turned ? 1 : 0, 1).slice(0, from, 5).add_(3);
      return changed;
    };
    tiny(turned ? "b.h5" : "a.h5", padded(), of_megatron);
    of_hf.parameter = set_weights(tiny_weights());
    record(path(turned ? "a.h5" : "b.h5"), padded_batch_first(), of_hf);
    DiffOptions options;
    options.positions = positions;
    Report report = compared(options);
    EXPECT_EQ(report.relation.name, "megatron-hf");
    return report;
  }
};

TEST_F(PaddedShapes, F15WithoutGarbageTheyAgree) {
  for (const bool turned : {false, true}) {
    const Report report = across(5, {}, turned);
    EXPECT_EQ(exit_code(report), 0) << to_text(report);
    EXPECT_TRUE(report.missing.empty() && report.extra.empty());
  }
}

TEST_F(PaddedShapes, F15WithoutTheMaskPaddingIsFound) {
  for (const bool turned : {false, true}) {
    const Report report = across(3, {}, turned);
    EXPECT_EQ(exit_code(report), 1);
    EXPECT_EQ(first_divergence(report),
              (turned ? "h.0.ln_1" : "layers.0.input_layernorm") + std::string(" output 0 introduced"))
        << to_text(report);
    EXPECT_THAT(report.diagnosis, hint_says("only positions 3, 4 of sample 1: padding"));
  }
}

TEST_F(PaddedShapes, F15WithTheMaskItDoesNotCount) {
  for (const bool turned : {false, true}) {
    const Report report = across(3, mask(), turned);
    EXPECT_EQ(exit_code(report), 0) << to_text(report);
    EXPECT_THAT(to_text(report), HasSubstr("8 of 10 positions compared"));
  }
}

TEST_F(PaddedShapes, F15WithTheMaskAFaultAtAValidPositionCounts) {
  const Report report = across(2, mask());
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_EQ(first_divergence(report), "layers.0.input_layernorm output 0 introduced");
}

// Both of Megatron's shape: [T, b, h], and heads as [T, b n, d].
TEST_F(PaddedShapes, F15PositionsMayComeFirst) {
  DiffOptions options;
  options.positions = mask();
  tiny("a.h5", padded());
  tiny("b.h5", padded(), garbage(1, 3, 5));
  EXPECT_EQ(exit_code(compared(options)), 0) << to_text(compared(options));
  tiny("b.h5", padded(), garbage(1, 2, 5));
  EXPECT_EQ(first_divergence(compared(options)), "layers.0.input_layernorm output 0 introduced");
}

TEST_F(Numerics, F15WithoutGarbageTheyAgree) {
  tiny("a.h5", padded());
  tiny("b.h5", padded());
  EXPECT_EQ(exit_code(compared()), 0);
}

}  // namespace
}  // namespace goldentrace::cases
