// Facts about the run, as text pairs under dotted names.
#pragma once

#include <map>
#include <string>

namespace goldentrace {

// Names in use (docs/FORMAT.md has the full list):
//   model.name, model.<option>       what was run and its options
//   run.command_line                 absent when withheld
//   run.seed, run.threads, run.device, run.id
//   rank, ranks, ranks.data, ranks.tensor
//   cpu.features                     the instruction sets that LibTorch's kernels choose from
//   torch.version, torch.<flag>      deterministic, tf32, reduced precision …
//   capture.level, capture.when_full, capture.sketch_size, capture.layers, capture.steps, capture.roles
//   input.<name>                     identity (hash) of declared model inputs
//   env.<NAME>                       allow-listed environment variables only
using Header = std::map<std::string, std::string>;

}  // namespace goldentrace
