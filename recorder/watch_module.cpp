#include <torch/nn/module.h>

#include "recorder/recorder.h"

namespace goldentrace {

void Recorder::watch(const torch::nn::Module& module) {
  for (const auto& parameter : module.named_parameters()) watch(parameter.key(), parameter.value());
  watch_all();
  for (const auto& buffer : module.named_buffers()) watch_buffer(buffer.key(), buffer.value());
}

}  // namespace goldentrace
