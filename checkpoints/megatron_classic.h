// Megatron-LM's checkpoints: mp_rank_<tt>[_<ppp>]/model_optim_rng.pt under iter_<7 digits> or release.
#pragma once

#include "checkpoints/megatron_files.h"

namespace goldentrace {

// The folder with mp_rank_* that `path` is or that its latest_checkpointed_iteration.txt names, or a single file with a
// model in it; nothing when it is none.
std::optional<std::filesystem::path> classic_folder(const std::filesystem::path& path);

MegatronFiles open_classic(const std::filesystem::path& folder, UnknownClass unknown);

}  // namespace goldentrace
