// The files of a run on several ranks: run.rank0.h5, run.rank1.h5 … instead of run.h5, each a trace or in segments of
// its own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace goldentrace {

// "run.rank3.h5" for rank 3 of run.h5.
std::filesystem::path rank_path(const std::filesystem::path& run, std::int64_t rank);

// The ranks of whose files one is there, finished or being recorded, in ascending order, each once.
std::vector<std::int64_t> ranks_of(const std::filesystem::path& run);

}  // namespace goldentrace
