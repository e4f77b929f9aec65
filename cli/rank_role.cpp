#include "cli/rank_role.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <thread>

#include "cli/output_path.h"
#include "traces/error.h"
#include "traces/rank_files.h"

namespace goldentrace {
namespace {

[[noreturn]] void refuse(const std::string& what, const std::filesystem::path& file = {}) {
  throw Error(ErrorCode::usage, what, {file.string(), ""});
}

void check_number(const RunOptions& run, const RankPlace& place) {
  if (run.ranks == 1 || run.ranks == place.ranks) return;
  refuse("--ranks " + std::to_string(run.ranks) + " in a process that is one of " + std::to_string(place.ranks) +
         " ranks already (WORLD_SIZE); leave --ranks out");
}

void check_options(const RecordOptions& options) {
  if (const std::string why = ranks_missing(); !why.empty())
    throw Error(ErrorCode::unsupported, "this build has no ranks: " + why);
  if (options.capture.stop_after > 0)
    refuse("--stop-after would end one rank while the others wait for it; leave it out");
}

// Two runs of one name must not stand beside each other: either could be taken for the other.
void check_files(const std::filesystem::path& run, std::int64_t ranks) {
  std::error_code ignored;
  if (run.empty()) refuse("name the trace to write: -o FILE");
  check_output_path(run);
  if (ranks == 1) {
    for (const std::int64_t rank : ranks_of(run))
      refuse(
          "is of an earlier run of this name on several ranks, which one file would not replace; remove its files "
          "first, or write under another name",
          rank_path(run, rank));
    return;
  }
  if (std::filesystem::exists(run, ignored))
    refuse(
        "is of an earlier run of this name, which files of ranks would not replace; remove it first, or write under "
        "another name",
        run);
  for (const std::int64_t rank : ranks_of(run))
    if (rank >= ranks)
      refuse("is of an earlier run of this name on more ranks; remove it first, or write under another name",
             rank_path(run, rank));
}

std::filesystem::path golden_of(const std::filesystem::path& golden, std::int64_t rank) {
  std::error_code ignored;
  const std::filesystem::path own = golden.empty() ? golden : rank_path(golden, rank);
  return std::filesystem::exists(own, ignored) ? own : golden;
}

RecordOptions of_rank(RecordOptions options, const RankPlace& place) {
  options.run.ranks = place.ranks;
  options.capture.output = rank_path(options.capture.output, place.rank);
  options.capture.golden = golden_of(options.capture.golden, place.rank);
  const auto processors = static_cast<std::int64_t>(std::thread::hardware_concurrency());
  if (options.run.threads == 0)
    options.run.threads = static_cast<int>(std::max<std::int64_t>(1, processors / place.local_ranks));
  if (place.rank == 0) return options;
  options.output.quiet = true;
  options.output.json = options.output.verbose = false;
  return options;
}

}  // namespace

RankRole::RankRole(const RecordOptions& given) : options_(given), place_(rank_place()) {
  if (place_) check_number(given.run, *place_);
  const std::int64_t ranks = place_ ? place_->ranks : given.run.ranks;
  if (ranks > 1) check_options(given);
  check_files(given.capture.output, ranks);
  if (place_) options_ = of_rank(given, *place_);
}

std::unique_ptr<RankRun> RankRole::join(std::int64_t tensor_degree) const {
  if (!place_) return nullptr;
  return std::make_unique<RankRun>(*place_, std::chrono::seconds(options_.run.rank_timeout), tensor_degree);
}

}  // namespace goldentrace
