// From any checkpoint that goldentrace reads to any that it writes.
#pragma once

#include <filesystem>

#include "checkpoints/gpt_weights.h"
#include "checkpoints/hf_weights.h"
#include "checkpoints/megatron_weights.h"

namespace goldentrace {

// Recognises the kind by what is there: Megatron-DeepSpeed, Megatron-LM, else Hugging Face. Tensors are not read yet,
// only named and measured. Error(not_found) when there is nothing.
GptWeights read_checkpoint(const std::filesystem::path& path, const ReadOptions& options);

std::uint64_t total_bytes(const GptWeights& weights);

// A folder that appears under its name only when it is whole: filled under a temporary name beside it.
class OutputFolder {
 public:
  // Error(usage) when `target` is there and no empty folder, Error(input_output) when the folder around it refuses.
  explicit OutputFolder(const std::filesystem::path& target);
  ~OutputFolder();  // removes everything unless it was published
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  const std::filesystem::path& path() const { return temporary_; }  // fill this
  void publish();                                                   // Error(input_output)

 private:
  std::filesystem::path target_, temporary_;
};

}  // namespace goldentrace
