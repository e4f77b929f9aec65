// The files of a run on several ranks: run.rank0.h5, run.rank1.h5 … instead of run.h5, each a trace or in segments of
// its own; opened together as one trace by the name run.h5.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "traces/header.h"

namespace goldentrace {

// "run.rank3.h5" for rank 3 of run.h5.
std::filesystem::path rank_path(const std::filesystem::path& run, std::int64_t rank);

// The ranks of whose files one is there, finished or being recorded, in ascending order, each once.
std::vector<std::int64_t> ranks_of(const std::filesystem::path& run);

// What the recorder of a rank says of its file, in the header entries rank, ranks and run.id.
struct RankName {
  std::int64_t rank = 0;
  std::int64_t ranks = 0;
  std::string run;  // the id that all ranks of the run have
};

// Absent: the trace of one process. Error(damaged) for entries that cannot be.
std::optional<RankName> rank_name(const Header& header);

// The traces that a run's name stands for: itself, or those of its ranks, as many as there are. Error(usage) when both
// are there, Error(not_found) for a missing rank before the last that is there, by its name.
std::vector<std::filesystem::path> traces_of_run(const std::filesystem::path& run);

// That traces are all ranks of one run: Error(not_found) for a missing rank, by its name, Error(damaged) for a file
// that is none of this run, or not the rank that it is named after. `names`: of the headers of traces_of_run().
void check_ranks(const std::filesystem::path& run, std::span<const std::optional<RankName>> names);

// What all ranks say alike; the rest once for each rank, as rank0.NAME, rank1.NAME … Without the entry rank.
Header joined_header(std::span<const Header> ranks);

}  // namespace goldentrace
