// Configurations of published runs, as options.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/gpt.h"

namespace goldentrace {

std::vector<std::string> gpt_presets();  // 13B-en, 13B-ml, 200B

// Sets the options of the shape's configuration as that run had them; later settings may reduce the sizes. 13B-en and
// 13B-ml are GPT-2 with Megatron's arithmetic: the hf shape gets megatron_mode; 200B has alibi positions and an
// embedding norm, which only megatron and bloom have. Error(usage) for an unknown name and for a shape that cannot be
// the model.
void apply_preset(GptOptions& options, std::string_view name);

}  // namespace goldentrace
