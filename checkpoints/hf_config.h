// config.json of transformers' GPT-2 and BLOOM.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "checkpoints/gpt_shape.h"
#include "traces/dtype.h"

namespace goldentrace {

enum class HfModel { gpt2, bloom };

struct HfConfig {
  HfModel model = HfModel::gpt2;
  GptShape shape;
};

// Error: those of read_small_file, damaged for what is no configuration (the field is named), unsupported for another
// model type and for options that the Megatron shape cannot express, named.
HfConfig read_hf_config(const std::filesystem::path& path);

// Which of the two can hold the shape. Error(unsupported) that names the option that neither can express.
HfModel hf_model_for(const GptShape& shape);

// The file's text. `tokenizer_class`: empty when it is not known.
std::string hf_config_text(HfModel model, const GptShape& shape, DType dtype, const std::string& tokenizer_class);

}  // namespace goldentrace
