#include "models/option_choices.h"

namespace goldentrace {
namespace {

constexpr std::string_view kinds[]{"hf", "megatron", "bloom"};
constexpr std::string_view activations[]{"gelu_new", "gelu_fast", "gelu", "gelu_pytorch_tanh", "quick_gelu"};
constexpr std::string_view score_rules[]{"multiply", "divide"};
constexpr std::string_view mask_rules[]{"causal", "none", "inverted", "shifted"};
constexpr std::string_view half_modes[]{"native", "emulated"};
constexpr std::string_view linear_operands[]{"full", "tf32"};
constexpr std::string_view ln_variants[]{"honest", "half-moments", "upcast-half-only", "eps-ignored"};
constexpr std::string_view layouts[]{"pipe", "classic"};
constexpr std::string_view position_kinds[]{"absolute", "rotary", "alibi"};
constexpr std::string_view glu_activations[]{"liglu", "geglu", "reglu", "swiglu"};
constexpr std::string_view mask_fills[]{"finfo-min", "minus-10000", "minus-inf"};
constexpr std::string_view prefix_rules[]{"main", "older"};
constexpr std::string_view alibi_rules[]{"main", "scaled", "missing"};
constexpr std::string_view rotary_frequencies[]{"float32", "model"};
constexpr std::string_view slow_biases[]{"added", "dropped"};
constexpr std::string_view bloom_scores[]{"current", "first-release"};

}  // namespace

Choices choices(GptKind) { return kinds; }
Choices choices(Activation) { return activations; }
Choices choices(ScoreRule) { return score_rules; }
Choices choices(MaskRule) { return mask_rules; }
Choices choices(HalfMode) { return half_modes; }
Choices choices(LinearOperands) { return linear_operands; }
Choices choices(LnVariant) { return ln_variants; }
Choices choices(MegatronLayers) { return layouts; }
Choices choices(PositionKind) { return position_kinds; }
Choices choices(GluActivation) { return glu_activations; }
Choices choices(MaskFill) { return mask_fills; }
Choices choices(PrefixRule) { return prefix_rules; }
Choices choices(AlibiRule) { return alibi_rules; }
Choices choices(RotaryFrequency) { return rotary_frequencies; }
Choices choices(SlowBias) { return slow_biases; }
Choices choices(BloomScores) { return bloom_scores; }

}  // namespace goldentrace
