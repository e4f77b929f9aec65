// The texts of options that are one of several words: names of the enumerators, in their order.
#pragma once

#include <span>
#include <string_view>

#include "models/bloom_config.h"
#include "models/gpt_config.h"
#include "models/gpt_kind.h"
#include "models/megatron_config.h"

namespace goldentrace {

using Choices = std::span<const std::string_view>;

Choices choices(GptKind);
Choices choices(Activation);
Choices choices(ScoreRule);
Choices choices(MaskRule);
Choices choices(HalfMode);
Choices choices(LinearOperands);
Choices choices(LnVariant);
Choices choices(MegatronLayers);
Choices choices(PositionKind);
Choices choices(GluActivation);
Choices choices(MaskFill);
Choices choices(PrefixRule);
Choices choices(AlibiRule);
Choices choices(RotaryFrequency);
Choices choices(SlowBias);
Choices choices(BloomScores);

}  // namespace goldentrace
