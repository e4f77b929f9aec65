// The arguments that Megatron stores beside its weights.
#pragma once

#include "checkpoints/gpt_shape.h"
#include "checkpoints/megatron_files.h"
#include "checkpoints/torch_writer.h"

namespace goldentrace {

// The model's shape: from the arguments where there are any, else from the tensors and `options`. Error(incomparable)
// or (not_found) for what neither says, naming the option to give.
GptShape read_megatron_shape(const MegatronFiles& files, const ReadOptions& options);

// The arguments that are plain numbers, texts or truth values.
TorchDict plain_arguments(const MegatronFiles& files);

// Arguments for a checkpoint of that shape and layout; those of `before` that say nothing about either are kept. A
// plain dict: argparse.Namespace is refused by torch.load(weights_only=True).
TorchDict megatron_arguments(const GptShape& shape, const MegatronOptions& options, std::int64_t padded_vocab,
                             DType dtype, const TorchDict& before);

}  // namespace goldentrace
