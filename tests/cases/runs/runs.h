// Small runs of both trainers for the case tests: recorded, compared, in one process.
#pragma once

#include <filesystem>
#include <string>

#include "diff/diff.h"
#include "models/gpt.h"
#include "models/mlp.h"
#include "recorder/recorder.h"

namespace goldentrace::cases {

MlpOptions small_mlp();  // D = 8, batches of 4, 2 steps
GptOptions small_gpt();  // 2 layers, width 8, 2 heads, 2 sequences of 5 tokens, 2 steps, dropout 0.1

// What is changed against a plain recording.
struct Variation {
  std::string plant;                                                      // KIND@LAYER; empty: none
  std::function<void(const std::string&, const at::Tensor&)> parameter;   // may change initial values in place
  std::function<at::Tensor(const std::string& layer, at::Tensor)> alter;  // may change what leaves a layer
  RecorderOptions recorder;
};

// Headers of a GPT hold its options as `gtrace record gpt` has them.
MlpResult record(const std::filesystem::path& path, const MlpOptions& options, const Variation& variation = {});
GptResult record(const std::filesystem::path& path, const GptOptions& options, const Variation& variation = {});

Report compare(const std::filesystem::path& golden, const std::filesystem::path& candidate,
               const DiffOptions& options = {});

// "h.1.mlp.act output 0 introduced", "none"; for readable failures.
std::string first_divergence(const Report& report);

// The recorded float32 elements of one record.
at::Tensor recorded(const std::filesystem::path& trace, const std::string& id);

}  // namespace goldentrace::cases
