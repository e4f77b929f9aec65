// The figures of a Python re-implementation at fixed weights, one row for each option: logits at two positions, and the
// loss over the padded and over the true vocabulary. Two rows are anchored in transformers with converted weights.
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>

#include <array>

#include "models/gpt.h"
#include "tests/models/figure_model.h"

namespace goldentrace {
namespace {

using Three = std::array<double, 3>;

struct Figures {
  const char* name;
  std::vector<std::pair<const char*, const char*>> options;
  Three first, last;  // logits[0, 0, 0…2], logits[1, 15, 0…2]
  double padded_loss, true_loss;
  bool prefixes = false;
};

void PrintTo(const Figures& figures, std::ostream* out) { *out << figures.name; }

class MegatronFigures : public ::testing::TestWithParam<Figures> {};

TEST_P(MegatronFigures, AreMet) {
  const Figures& expected = GetParam();
  GptOptions options = figure_options();
  for (const auto& [name, value] : expected.options) set_option(options, name, value);
  if (expected.prefixes) options.batches[0].prefixes = at::tensor({5, 9}, at::kLong);
  Events events;
  events.parameter = set_figure_weights();
  const GptResult result = train_gpt(options, events);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(result.logits[0][0][i].item<double>(), expected.first[static_cast<std::size_t>(i)], 1e-6);
    EXPECT_NEAR(result.logits[1][15][i].item<double>(), expected.last[static_cast<std::size_t>(i)], 1e-6);
  }
  EXPECT_NEAR(result.losses[0], expected.padded_loss, 1e-6);
  set_option(options, "loss_over_padding", "false");
  EXPECT_NEAR(train_gpt(options, events).losses[0], expected.true_loss, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Options, MegatronFigures,
                         ::testing::Values(Figures{"absolute",
                                                   {},
                                                   {-0.105708241, -0.0789423287, 0.412465125},
                                                   {-0.256841511, -0.065903157, 0.182555914},
                                                   6.96770382,
                                                   6.94278812},
                                           Figures{"openai_gelu",
                                                   {{"openai-gelu", "true"}},
                                                   {-0.105708212, -0.078942351, 0.412465125},
                                                   {-0.25684154, -0.0659031942, 0.182555914},
                                                   6.96770382,
                                                   6.94278812},
                                           Figures{"erf",
                                                   {{"no-bias-gelu-fusion", "true"}},
                                                   {-0.105709277, -0.0789418221, 0.412465334},
                                                   {-0.256841153, -0.0659025609, 0.18255648},
                                                   6.96770334,
                                                   6.9427886},
                                           Figures{"embed_norm",
                                                   {{"embed-layernorm", "true"}},
                                                   {0.1882229, -0.0666871667, 0.288996577},
                                                   {-0.0731459633, 0.253270954, 0.034763515},
                                                   6.97303534,
                                                   6.94922304},
                                           Figures{"rotary",
                                                   {{"position-embedding-type", "rotary"}},
                                                   {-0.188794911, -0.0617045686, 0.30028981},
                                                   {-0.267522961, -0.0177086014, 0.21267572},
                                                   6.9743576,
                                                   6.94948339},
                                           Figures{"alibi",
                                                   {{"position-embedding-type", "alibi"}},
                                                   {-0.188794911, -0.0617045686, 0.30028981},
                                                   {-0.268984556, -0.0166083351, 0.212892205},
                                                   6.97411919,
                                                   6.9492445},
                                           Figures{"embed_norm and alibi",
                                                   {{"position-embedding-type", "alibi"}, {"embed-layernorm", "true"}},
                                                   {0.185717762, -0.0621397234, 0.282060236},
                                                   {-0.0727293789, 0.259183735, 0.0372989662},
                                                   6.97331715,
                                                   6.94950867},
                                           Figures{"post-LN residual",
                                                   {{"apply-residual-connection-post-layernorm", "true"}},
                                                   {0.206753045, -0.220059484, 0.456291676},
                                                   {-0.0812261477, -0.0147287641, -0.0346538387},
                                                   6.95356846,
                                                   6.92960453},
                                           Figures{"prefix-LM",
                                                   {{"prefix_lm", "true"}},
                                                   {-0.17313692, -0.104931824, 0.38245976},
                                                   {-0.256519645, -0.0664829016, 0.181613445},
                                                   6.96588182,
                                                   6.94096184,
                                                   true},
                                           Figures{"liglu",
                                                   {{"glu-activation", "liglu"}},
                                                   {-0.162479162, -0.169127852, 0.37539351},
                                                   {-0.249323741, -0.125601187, 0.188327119},
                                                   6.96210718,
                                                   6.93693161},
                                           Figures{"geglu",
                                                   {{"glu-activation", "geglu"}},
                                                   {-0.164448202, -0.161892503, 0.369364053},
                                                   {-0.245284662, -0.117638275, 0.176662296},
                                                   6.96211672,
                                                   6.93694496},
                                           Figures{"reglu",
                                                   {{"glu-activation", "reglu"}},
                                                   {-0.170343652, -0.16145958, 0.3690162},
                                                   {-0.243908778, -0.118773155, 0.176409066},
                                                   6.96169806,
                                                   6.93656588},
                                           Figures{"swiglu",
                                                   {{"glu-activation", "swiglu"}},
                                                   {-0.164176121, -0.161922559, 0.369183153},
                                                   {-0.245612413, -0.1179493, 0.177088335},
                                                   6.96217632,
                                                   6.93700314}));

}  // namespace
}  // namespace goldentrace
