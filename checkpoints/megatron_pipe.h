// Megatron-DeepSpeed's pipeline checkpoints: layer_<ii>-model_<tt>-model_states.pt and mp_rank_<rr>_model_states.pt.
#pragma once

#include "checkpoints/megatron_files.h"

namespace goldentrace {

// The folder global_step<N> that `path` is or whose name its file `latest` holds; nothing when it is none.
std::optional<std::filesystem::path> pipe_folder(const std::filesystem::path& path);

MegatronFiles open_pipe(const std::filesystem::path& folder, UnknownClass unknown);

// File numbers: 1 embedding, 3 … 2 + L layers, 4 + L final norm, 5 + L a head of its own.
inline constexpr std::int64_t pipe_embedding = 1, pipe_first_layer = 3;
std::string pipe_file_name(std::int64_t index, std::int64_t rank);

}  // namespace goldentrace
