// Traces of the two models, recorded in this process.
#pragma once

#include <filesystem>

#include "models/gpt.h"
#include "models/mlp.h"
#include "recorder/recorder.h"

namespace goldentrace {

void record_mlp(const std::filesystem::path& file, const MlpOptions& options, Capture capture = Capture::full);
void record_gpt(const std::filesystem::path& file, const GptOptions& options, Capture capture = Capture::full);

MlpOptions small_mlp(MlpVariant variant);
GptOptions small_gpt();  // dropout on

}  // namespace goldentrace
