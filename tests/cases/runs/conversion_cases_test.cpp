// A01, A03, A05, A07, A13, A15, A17, A19: TINY in Megatron's shape against its conversion to Hugging Face's, once right
// and once with the fault of the case.
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "diff/text_report.h"
#include "tests/cases/models/tiny.h"
#include "tests/cases/runs/runs.h"
#include "tests/support/temporary_folder.h"

namespace goldentrace::cases {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::Not;
using Columns = std::vector<std::int64_t>;

auto hint_says(const std::string& text) { return Contains(Field(&Diagnosis::text, HasSubstr(text))); }
DiffOptions allclose(double atol) { return {.gate = {.kind = GateKind::allclose, .rtol = 0, .atol = atol}}; }

class Conversion : public testing::Test {
 protected:
  Conversion() : a_(tiny_megatron_options()), b_(tiny_options()) {}

  // What is in a_ and b_, recorded and compared.
  Report run(DiffOptions options = {}, std::function<at::Tensor(const std::string&, at::Tensor)> alter_b = {}) {
    options.limit = 1000;
    loss_a_ = record(path("a.h5"), a_, {.parameter = set_weights(weights_a_)}).losses.front();
    const Variation of_b{.parameter = set_weights(weights_b_), .alter = std::move(alter_b)};
    loss_b_ = record(path("b.h5"), b_, of_b).losses.front();
    return compare(path("a.h5"), path("b.h5"), options);
  }

  std::filesystem::path path(const std::string& file) const { return folder_ / file; }
  at::Tensor of_a(const std::string& layer) const { return output(path("a.h5"), layer); }
  at::Tensor of_b(const std::string& layer) const { return output(path("b.h5"), layer); }
  static at::Tensor output(const std::filesystem::path& file, const std::string& layer) {
    return recorded(file, "0:0:0/forward/" + layer + "#0/output.0");
  }

  // Of every layer's weight of that kind.
  void replace(const std::string& kind, const std::function<at::Tensor(const NamedTensor&)>& by) {
    for (NamedTensor& entry : weights_b_)
      if (entry.name.find(kind) != std::string::npos) entry.tensor = by(entry);
  }

  void replace_a(const std::string& kind, const std::function<at::Tensor(const at::Tensor&)>& by) {
    for (NamedTensor& entry : weights_a_)
      if (entry.name.find(kind) != std::string::npos) entry.tensor = by(entry.tensor);
  }

  testing_support::TemporaryFolder folder_;
  GptOptions a_, b_;
  NamedTensors weights_a_ = tiny_megatron_weights(), weights_b_ = tiny_weights();
  double loss_a_ = 0, loss_b_ = 0;
};

// In the forward pass.
std::set<std::string> differing_layers(const Report& report) {
  std::set<std::string> layers;
  for (const PairReport& pair : report.mismatches)
    if (pair.id.pass == Pass::forward) layers.insert(pair.id.layer);
  return layers;
}

void expect_same(const Report& report) {
  EXPECT_EQ(report.verdict, Verdict::same) << to_text(report);
  EXPECT_EQ(report.relation.name, "megatron-hf");
  EXPECT_TRUE(report.roots.empty());
  EXPECT_EQ(report.mismatched, 0);
}

void expect_first(const Report& report, const std::string& layer, Role role) {
  EXPECT_EQ(report.verdict, Verdict::diverged) << report.reason;
  ASSERT_FALSE(report.roots.empty()) << to_text(report);
  EXPECT_EQ(report.roots.front().pair.id.layer, layer) << to_text(report);
  EXPECT_EQ(report.roots.front().pair.id.role, role) << to_text(report);
  EXPECT_EQ(report.roots.front().pair.id.pass, Pass::forward);
  if (role == Role::param) {
    EXPECT_EQ(report.roots.front().origin, Origin::weight);
  }
}

double max_abs(const Report& report) { return report.roots.front().pair.judgement.comparison.max_abs; }

TEST_F(Conversion, TheRightOneAgrees) {
  expect_same(run());
  EXPECT_NEAR(loss_a_, tiny_clean_loss, 1e-6);
  EXPECT_NEAR(loss_b_, tiny_clean_loss, 1e-6);
}

// A01

at::Tensor conv1d_rows(const at::Tensor& stored) { return stored.dim() == 2 ? stored.t().contiguous() : stored; }

// Stored rows of a version as [q, k, v][head][d] and back: 0 [q, k, v][head][d], 1 [head][d][q, k, v],
// 2 [head][q, k, v][d].
at::Tensor stored_as(const at::Tensor& thirds, int version) {
  const at::Tensor parts = thirds.reshape({3, 2, 4, -1});
  const at::Tensor turned = version == 0   ? parts
                            : version == 1 ? parts.permute({1, 2, 0, 3})
                                           : parts.permute({1, 0, 2, 3});
  return turned.reshape(thirds.sizes());
}

at::Tensor read_as(const at::Tensor& stored, int version) {
  const at::Tensor turned = version == 0   ? stored.reshape({3, 2, 4, -1})
                            : version == 1 ? stored.reshape({2, 4, 3, -1}).permute({2, 0, 1, 3})
                                           : stored.reshape({2, 3, 4, -1}).permute({1, 0, 2, 3});
  return turned.reshape(stored.sizes());
}

at::Tensor misread(const at::Tensor& conv1d, int version, int taken_for) {
  const at::Tensor thirds = conv1d.dim() == 2 ? conv1d.t().contiguous() : conv1d;
  return conv1d_rows(read_as(stored_as(thirds, version), taken_for));
}

Columns differing_columns(const at::Tensor& a, const at::Tensor& b) {
  Columns columns;
  for (std::int64_t i = 0; i < a.size(-1); ++i)
    if (!a.select(-1, i).equal(b.select(-1, i))) columns.push_back(i);
  return columns;
}

TEST_F(Conversion, A01RowsOfVersion2ReadAsVersion0) {
  record(path("right.h5"), b_, {.parameter = set_weights(weights_b_)});
  replace("c_attn", [](const NamedTensor& entry) { return misread(entry.tensor, 2, 0); });
  const Report report = run();
  expect_first(report, "layers.0.self_attention.query_key_value", Role::param);
  EXPECT_THAT(report.roots.front().pair.id_b.layer, "h.0.attn.c_attn");
  const std::set<std::string> layers = differing_layers(report);
  for (const char* layer : {"embedding", "embedding.word", "embedding.position", "layers.0.input_layernorm"})
    EXPECT_THAT(layers, Not(Contains(layer)));
  const at::Tensor right = output(path("right.h5"), "h.0.attn.c_attn"), wrong = of_b("h.0.attn.c_attn");
  EXPECT_NEAR(right.sub(wrong).abs().max().item<double>(), 0.950, 1e-3);
  EXPECT_EQ(differing_columns(right, wrong), (Columns{4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}));
  EXPECT_NEAR(std::abs(loss_a_ - loss_b_), 0.0034, 1e-4);
  EXPECT_THAT(report.diagnosis,
              ElementsAre(Field(&Diagnosis::text,
                                AllOf(HasSubstr("permuted rows"), HasSubstr("QKV order, v2 layout read as v0")))));
}

TEST_F(Conversion, A01EveryVersionReadAsAnother) {
  for (int version = 0; version < 3; ++version)
    for (int taken_for = 0; taken_for < 3; ++taken_for) {
      SCOPED_TRACE(std::to_string(version) + " as " + std::to_string(taken_for));
      weights_b_ = tiny_weights();
      replace("c_attn", [&](const NamedTensor& entry) { return misread(entry.tensor, version, taken_for); });
      if (version == taken_for) {
        expect_same(run());
      } else {
        expect_first(run(), "layers.0.self_attention.query_key_value", Role::param);
      }
    }
}

TEST_F(Conversion, A01BiasesAlone) {
  replace("c_attn.bias", [](const NamedTensor& entry) { return misread(entry.tensor, 2, 0); });
  const Report report = run();
  expect_first(report, "layers.0.self_attention.query_key_value", Role::param);
  EXPECT_EQ(report.roots.front().pair.id.index, "bias");
}

TEST_F(Conversion, A01RawLayoutsDifferThoughTheConversionIsRight) {
  expect_same(run());
  EXPECT_FALSE(
      of_a("layers.0.self_attention.query_key_value").transpose(0, 1).allclose(of_b("h.0.attn.c_attn"), 1e-3, 1e-3));
}

// A03

TEST_F(Conversion, A03CausalMaskThatIsNotTriangular) {
  b_.config.mask_rule = MaskRule::none;
  const Report report = run();
  expect_first(report, "layers.0.self_attention.probs", Role::output);
  const std::set<std::string> layers = differing_layers(report);
  EXPECT_THAT(layers, Not(Contains("layers.0.self_attention.query_key_value")));
  EXPECT_THAT(layers, Not(Contains("layers.0.self_attention.scores")));
  const at::Tensor difference = of_a("layers.0.self_attention.probs").sub(of_b("h.0.attn.probs")).abs();
  const double expected[] = {0.808, 0.318, 0.206, 0.201, 0};
  for (int position = 0; position < 5; ++position)
    EXPECT_NEAR(difference.select(2, position).max().item<double>(), expected[position], 6e-4) << position;
  EXPECT_THAT(report.diagnosis, hint_says("mask: only non-final positions differ"));
}

TEST_F(Conversion, A03EveryFaultOfTheMask) {
  for (const MaskRule rule : {MaskRule::none, MaskRule::inverted, MaskRule::shifted}) {
    b_.config.mask_rule = rule;
    expect_first(run(), "layers.0.self_attention.probs", Role::output);
  }
  b_.config.mask_rule = MaskRule::causal;
  b_.config.mask_fill = -1;  // not negative enough
  expect_first(run(), "layers.0.self_attention.probs", Role::output);
}

// The last position sees the same keys in both runs; layer 1's scores read the others.
TEST_F(Conversion, A03TheLastPositionStaysUntilTheNextLayerReadsTheOthers) {
  record(path("right.h5"), b_, {.parameter = set_weights(weights_b_)});
  b_.config.mask_rule = MaskRule::none;
  record(path("wrong.h5"), b_, {.parameter = set_weights(weights_b_)});
  const auto last = [&](const std::string& layer) {
    const at::Tensor difference = output(path("right.h5"), layer).sub(output(path("wrong.h5"), layer)).abs();
    return difference.select(-2, 4).max().item<double>();
  };
  for (const char* layer : {"h.0.attn.context", "h.0.mlp.act", "h.0", "h.1.ln_1", "h.1.attn.c_attn"})
    EXPECT_EQ(last(layer), 0) << layer;
  EXPECT_GT(last("h.1.attn.scores"), 1e-4);
  EXPECT_NEAR(last("h.1.attn.context"), 4.7e-3, 1e-4);
}

// A05

TEST_F(Conversion, A05FormsOfGelu) {
  spread_tiny_gelu(weights_b_);
  spread_tiny_gelu_of_megatron(weights_a_);
  a_.megatron.bias_gelu_fusion = false;  // erf
  b_.config.activation_function = Activation::gelu;
  expect_same(run(allclose(1e-6)));
  b_.config.activation_function = Activation::gelu_new;
  expect_same(run(allclose(1e-3)));
  const Report fine = run(allclose(1e-4));
  expect_first(fine, "layers.0.mlp.activation", Role::output);
  EXPECT_THAT(max_abs(fine), DoubleNear(4.7e-4, 0.1e-4));
  EXPECT_THAT(differing_layers(fine), Not(Contains("layers.0.mlp.dense_h_to_4h")));
  EXPECT_THAT(fine.diagnosis, hint_says("GELU approximation: erf | tanh, max abs 0.00047"));
  b_.config.activation_function = Activation::quick_gelu;
  for (const double atol : {1e-3, 1e-4}) {
    const Report report = run(allclose(atol));
    expect_first(report, "layers.0.mlp.activation", Role::output);
    EXPECT_THAT(max_abs(report), DoubleNear(2.0e-2, 0.1e-2));
  }
}

TEST_F(Conversion, A05TwoFormulasOfOneFunctionAgree) {
  spread_tiny_gelu(weights_b_);
  spread_tiny_gelu_of_megatron(weights_a_);
  for (const Activation activation : {Activation::gelu_fast, Activation::gelu_new, Activation::gelu_pytorch_tanh}) {
    b_.config.activation_function = activation;
    expect_same(run(allclose(1e-6)));
  }
}

// A07

TEST_F(Conversion, A07EpsilonOfTheNorms) {
  b_.config.layer_norm_epsilon = 1e-6;
  const Report report = run(allclose(1e-4));
  expect_first(report, "layers.0.input_layernorm", Role::output);
  EXPECT_THAT(max_abs(report), DoubleNear(9.2e-4, 0.1e-4));
  EXPECT_THAT(differing_layers(report), Not(Contains("embedding")));
  EXPECT_THAT(report.diagnosis, hint_says("norm epsilon 1e-05 | 1e-06"));
}

// Where the norm is computed op by op, no op has the epsilon as its argument: the configurations have it.
TEST_F(Conversion, A07EpsilonOfTheNormsFromTheConfigurations) {
  for (const LnVariant variant : {LnVariant::honest, LnVariant::half_moments}) {
    a_.dtype = b_.dtype = at::kHalf;
    a_.megatron.half_mode = b_.config.half_mode = HalfMode::emulated;
    a_.megatron.ln_variant = b_.config.ln_variant = variant;
    b_.config.layer_norm_epsilon = 1e-3;
    const Report report = run();
    expect_first(report, "layers.0.input_layernorm", Role::output);
    EXPECT_THAT(report.diagnosis, hint_says("norm epsilon 1e-05 | 0.001"));
  }
}

// A08 across shapes: GPT-2 has no groups, so that the sizes say it.
TEST_F(Conversion, A08QueryGroupsAcrossShapes) {
  a_.megatron.num_query_groups = 1;
  replace_a("query_key_value", [](const at::Tensor& rows) { return rows.slice(0, 0, 16).contiguous(); });
  const Report report = run();
  expect_first(report, "layers.0.self_attention.query_key_value", Role::param);
  EXPECT_THAT(report.diagnosis, hint_says("GQA: 2 heads in 1 query group | 2 heads without groups"));
}

// A13

void pad(NamedTensors& weights, std::int64_t rows) {
  for (const char* name : {"word_embeddings.weight", "head.weight"}) {
    for (NamedTensor& entry : weights) {
      if (entry.name != name) continue;
      entry.tensor = at::cat({entry.tensor, at::zeros({rows - entry.tensor.size(0), entry.tensor.size(1)})});
    }
  }
}

TEST_F(Conversion, A13PaddedVocabularyInTheLoss) {
  pad(weights_a_, 16);
  a_.megatron.pad_vocab_size_to = 16;
  const Report report = run();
  EXPECT_NEAR(loss_a_, 2.718525, 1e-6);
  EXPECT_NEAR(loss_b_, tiny_clean_loss, 1e-6);
  EXPECT_EQ(report.verdict, Verdict::diverged) << report.reason;
  ASSERT_FALSE(report.roots.empty());
  EXPECT_EQ(report.roots.front().pair.id.layer, "loss") << to_text(report);
  EXPECT_THAT(to_text(report), HasSubstr("11 of 16"));
  EXPECT_THAT(to_text(report), HasSubstr("vocabulary padding"));
  EXPECT_THAT(report.diagnosis, hint_says("padded vocabulary in log-sum-exp"));
}

TEST_F(Conversion, A13PaddingLeftOutOfTheLoss) {
  pad(weights_a_, 16);
  a_.megatron.pad_vocab_size_to = 16;
  a_.megatron.loss_over_padding = false;
  const Report report = run();
  expect_same(report);
  EXPECT_THAT(to_text(report), HasSubstr("11 of 16"));
}

// Whether this processor's kernels sum a small product in another order when its weight is stored transposed: then
// nothing of the two shapes is bit-equal.
bool sums_by_orientation() {
  const at::Tensor x = at::arange(160, at::kFloat).sin().view({20, 8}),
                   weight = at::arange(64, at::kFloat).cos().view({8, 8});
  return !x.mm(weight).equal(at::linear(x, weight.t().contiguous()));
}

// The wider product sums in another order; everything before it is bit-equal in Megatron's mode.
TEST_F(Conversion, A13UnderTheBitwiseGateTheLogitsDiffer) {
  if (sums_by_orientation()) GTEST_SKIP() << "the kernels of this processor round the two shapes differently";
  set_option(b_.config, "megatron_mode", "true");
  EXPECT_THAT(differing_layers(run({.gate = {.kind = GateKind::bitwise}})), testing::IsEmpty());
  pad(weights_a_, 16);
  a_.megatron.pad_vocab_size_to = 16;
  a_.megatron.loss_over_padding = false;
  expect_first(run({.gate = {.kind = GateKind::bitwise}}), "logits", Role::output);
}

// A15

TEST_F(Conversion, A15TheEmbeddingAsHead) {
  replace("lm_head", [&](const NamedTensor&) { return weights_b_.front().tensor; });
  const Report report = run();
  expect_first(report, "logits", Role::param);
  EXPECT_NEAR(of_a("logits").sub(of_b("lm_head")).abs().max().item<double>(), 0.522, 1e-3);
  for (const PairReport& pair : report.mismatches) {
    if (pair.id.pass == Pass::forward) {
      EXPECT_THAT(pair.id.layer, testing::AnyOf("logits", "loss"));
    }
  }
  EXPECT_THAT(report.diagnosis, hint_says("equals B's embedding.word"));
}

TEST_F(Conversion, A15ATiedModelWithTheEmbeddingAsHead) {
  b_.config.tie_word_embeddings = true;
  expect_first(run(), "logits", Role::param);
}

// A17

TEST_F(Conversion, A17SquareWeightsNotTransposed) {
  replace("attn.c_proj.weight", [](const NamedTensor& entry) { return entry.tensor.t().contiguous(); });
  const Report report = run();
  expect_first(report, "layers.0.self_attention.dense", Role::param);
  EXPECT_THAT(differing_layers(report), Not(Contains("layers.0.self_attention.context")));
  EXPECT_THAT(report.diagnosis, ElementsAre(Field(&Diagnosis::text, "B matches A if the weight is transposed")));
}

// A19

TEST_F(Conversion, A19DividedByTheLayerAndNotMultipliedBack) {
  a_.megatron.num_layers = b_.config.n_layer = 3;
  b_.config.scale_attn_by_inverse_layer_idx = true;
  weights_a_ = tiny_megatron_weights(3);
  weights_b_ = tiny_weights(3);
  const Report report = run();
  expect_first(report, "layers.1.self_attention.scores", Role::output);
  EXPECT_NEAR(report.roots.front().pair.judgement.comparison.ratio, 0.5, 1e-6);
  for (const std::string& layer : differing_layers(report)) {
    if (layer.starts_with("layers.0")) {
      ADD_FAILURE() << layer;
    }
  }
  const at::Tensor a = of_a("layers.2.self_attention.scores"), b = of_b("h.2.attn.scores");
  EXPECT_NEAR(a.mul(b).sum().item<double>() / a.square().sum().item<double>(), 0.3335, 2e-3);
  const std::string words = "score ratio 1/2, 1/3 by layer: query-key layer scaling not undone";
  EXPECT_THAT(report.diagnosis, ElementsAre(Field(&Diagnosis::text, words)));
}

// Numbered from 0, layers 0 and 1 are not scaled; whichever of the two does it.
TEST_F(Conversion, A19TheNumbersOfThePipeLayout) {
  a_.megatron.num_layers = b_.config.n_layer = 4;
  weights_a_ = tiny_megatron_weights(4);
  weights_b_ = tiny_weights(4);
  const std::map<std::string, double> factors{{"h.2.attn.scores", 2}, {"h.3.attn.scores", 3}};
  for (const bool divided : {true, false}) {
    const auto scaled = [&](const std::string& layer, at::Tensor output) {
      const auto factor = factors.find(layer);
      if (factor == factors.end()) return output;
      return divided ? output.div(factor->second) : output.mul(factor->second);
    };
    const Report report = run({}, scaled);
    expect_first(report, "layers.2.self_attention.scores", Role::output);
    EXPECT_THAT(report.diagnosis,
                hint_says(divided ? "score ratio 1/2, 1/3 by layer: query-key layer scaling not undone"
                                  : "score ratio 2, 3 by layer: query-key layer scaling of A not undone"))
        << to_text(report);
  }
}

}  // namespace
}  // namespace goldentrace::cases
