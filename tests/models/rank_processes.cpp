#include "tests/models/rank_processes.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "models/rank_place.h"
#include "tests/support/file_damage.h"
#include "tests/support/temporary_folder.h"

namespace goldentrace::testing_support {
namespace {

pid_t start(const RankPlace& place, const std::string& body, const std::filesystem::path& log) {
  const pid_t child = fork();
  if (child != 0) return child;
  for (const auto& [name, value] : environment_of(place)) setenv(name.c_str(), value.c_str(), 1);
  static_cast<void>(freopen(log.c_str(), "w", stdout));
  static_cast<void>(dup2(STDOUT_FILENO, STDERR_FILENO));
  const std::string filter = "--gtest_filter=" + body;
  execl("/proc/self/exe", "rank", filter.c_str(), "--gtest_also_run_disabled_tests", nullptr);
  _exit(127);
}

}  // namespace

std::vector<RankOutcome> run_ranks(std::int64_t ranks, const std::string& body) {
  const TemporaryFolder folder;
  std::vector<pid_t> children;
  const auto log = [&](std::int64_t rank) { return folder / ("log" + std::to_string(rank)); };
  for (std::int64_t rank = 0; rank < ranks; ++rank)
    children.push_back(
        start({.rank = rank, .ranks = ranks, .local_ranks = ranks, .file = folder / "meet"}, body, log(rank)));
  std::vector<RankOutcome> outcomes;
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    int status = 0;
    waitpid(children[static_cast<std::size_t>(rank)], &status, 0);
    outcomes.push_back({WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_file(log(rank))});
  }
  return outcomes;
}

bool all_passed(const std::vector<RankOutcome>& outcomes) {
  for (const RankOutcome& each : outcomes)
    if (each.exit_code != 0 || each.output.find("[  PASSED  ] 1 test") == std::string::npos) {
      ADD_FAILURE() << "a rank ended with " << each.exit_code << ":\n" << each.output;
      return false;
    }
  return true;
}

}  // namespace goldentrace::testing_support
