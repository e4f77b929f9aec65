#include "cli/rank_launch.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <iostream>
#include <memory>
#include <string>

#include "cli/delegate.h"
#include "cli/interrupt.h"
#include "cli/passed_signal.h"
#include "cli/rank_files_left.h"
#include "cli/rank_process.h"
#include "cli/scratch_folder.h"
#include "models/rank_place.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::seconds;

// A rank that computes sees only later that another is gone; one that still waits for it to come, not at all.
constexpr seconds grace(10), last_grace(30);
constexpr std::string_view own_prefix = "gtrace record: ";

class RankCrew {
 public:
  explicit RankCrew(const RecordOptions& options)
      : options_(options), files_(options.capture.output, options.run.ranks) {
    for (std::int64_t rank = 0; rank < options.run.ranks; ++rank) start(rank);
  }

  void run() {
    while (!all_ended()) {
      wait_for_output();
      talk();
      pass_signal_on();
      look_for_failure();
      end_those_left();
    }
    talk();
  }

  ExitCode conclude() const {
    if (passed_.received() != 0)
      throw Error(ErrorCode::incomplete,
                  "recording was stopped by " + signal_name(passed_.received()) + "; " + files_.text());
    if (failed_ >= 0) throw Error(ErrorCode::incomplete, ending(failed_) + "; " + files_.text());
    std::cout << ranks_.front()->kept();
    return ExitCode::same;
  }

 private:
  RankProcess& at(std::int64_t rank) const { return *ranks_[static_cast<std::size_t>(rank)]; }
  std::int64_t count() const { return static_cast<std::int64_t>(ranks_.size()); }

  void start(std::int64_t rank) {
    const RankPlace place{.rank = rank,
                          .ranks = options_.run.ranks,
                          .local_ranks = options_.run.ranks,
                          .file = scratch_.path() / "ranks"};
    std::vector<std::string> command{program_folder() / "gtrace-record"};
    command.insert(command.end(), options_.arguments.begin(), options_.arguments.end());
    const RankOutput first = options_.output.json ? RankOutput::kept : RankOutput::shared;
    ranks_.push_back(
        std::make_unique<RankProcess>(command, environment_of(place), rank == 0 ? first : RankOutput::dropped));
  }

  bool all_ended() const {
    return std::all_of(ranks_.begin(), ranks_.end(), [](const auto& each) { return each->has_ended(); });
  }

  void wait_for_output() const {
    std::vector<pollfd> streams;
    for (const auto& rank : ranks_)
      for (const int stream : rank->streams()) streams.push_back({stream, POLLIN, 0});
    constexpr int milliseconds = 50;
    poll(streams.data(), streams.size(), milliseconds);
  }

  void talk() const {
    for (std::int64_t rank = 0; rank < count(); ++rank)
      for (const std::string& line : at(rank).read()) {
        const bool own = line.starts_with(own_prefix);
        std::cerr << (own ? own_prefix : "") << "rank " << rank << ": " << line.substr(own ? own_prefix.size() : 0)
                  << std::endl;
      }
  }

  void pass_signal_on() {
    if (const int signal = passed_.take(); signal != 0)
      for (const auto& rank : ranks_) rank->send(signal);
  }

  void look_for_failure() {
    for (std::int64_t rank = 0; rank < count() && failed_ < 0; ++rank) {
      if (!at(rank).has_ended() || (at(rank).exit_code() == 0 && at(rank).signal() == 0)) continue;
      failed_ = rank;
      const seconds patience = std::min(grace, seconds(options_.run.rank_timeout));
      ask_at_ = Clock::now() + patience;
      kill_at_ = ask_at_ + last_grace;
    }
  }

  void end_those_left() {
    if (failed_ < 0 || Clock::now() < ask_at_) return;
    for (const auto& rank : ranks_) rank->send(Clock::now() < kill_at_ ? SIGTERM : SIGKILL);
    ask_at_ = std::max(kill_at_, Clock::now() + seconds(1));
  }

  std::string ending(std::int64_t rank) const {
    const std::string who = "rank " + std::to_string(rank);
    if (at(rank).signal() != 0) return who + " was ended by " + signal_name(at(rank).signal());
    return who + " failed";
  }

  const RecordOptions& options_;
  const RankFilesLeft files_;
  const ScratchFolder scratch_;
  PassedSignal passed_;
  std::vector<std::unique_ptr<RankProcess>> ranks_;
  std::int64_t failed_ = -1;  // the first that did
  Clock::time_point ask_at_, kill_at_;
};

}  // namespace

ExitCode launch_ranks(const RecordOptions& options) {
  RankCrew crew(options);
  crew.run();
  return crew.conclude();
}

}  // namespace goldentrace
