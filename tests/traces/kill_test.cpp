// kill -9 at random moments of a recording: in compression, in an append to the journal, in the seal (in place and by
// copying), between the first block and the rename, around the rename. What is recovered is every committed step, bit
// by bit that of an undisturbed run.
//   kill_test --kills N [--seed S]
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <new>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>

#include "tests/support/temporary_folder.h"
#include "tests/traces/journal_jobs.h"
#include "tests/traces/kill_hooks.h"
#include "traces/error.h"
#include "traces/journal_reader.h"
#include "traces/recording_state.h"
#include "traces/recover.h"
#include "traces/trace_reader.h"

namespace goldentrace {
namespace {

using namespace testing_support;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::int64_t steps = 10;

// Shared with the child: how many steps it knows to be committed.
using Counter = std::atomic<std::uint64_t>;

void require(bool condition, const std::string& what) {
  if (!condition) throw std::runtime_error(what);
}

// A step is reserved and committed at once; its rows come from two threads, in changing order.
void record_step(TraceWriter& writer, std::int64_t step, std::uint64_t seed) {
  std::vector<Job> jobs = jobs_of(step);
  for (std::size_t i = 0; i < jobs.size(); ++i) writer.reserve();
  add_step_call(writer, step);
  writer.commit();
  std::shuffle(jobs.begin(), jobs.end(), std::mt19937_64(seed + static_cast<std::uint64_t>(step)));
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < jobs.size(); i = next++) put_job(writer, jobs[i]);
  };
  std::thread other(work);
  work();
  other.join();
}

enum class Way { in_place, copying };  // of sealing

struct Run {
  Way way = Way::in_place;
  std::uint64_t segment_bytes = 0;
};

void record_run(const fs::path& file, std::uint64_t seed, const Run& run, Counter* committed) {
  WriterOptions options{.segment_bytes = run.segment_bytes};
  if (committed != nullptr) options.committed = [committed](std::uint64_t) { ++*committed; };
  TraceWriter writer(file, options);
  writer.header() = {{"model.name", "kill"}};
  // In each commit: too many bytes that are no frames.
  if (run.way == Way::copying) writer.header()["model.config"] = std::string(250'000, 'x');
  for (std::int64_t step = 0; step < steps; ++step) record_step(writer, step, seed);
  say_sealing();
  writer.close();
}

bool is_equal(const TraceReader& a, const TraceReader& b, std::int64_t row) {
  const Record& x = a.records()[static_cast<std::size_t>(row)];
  const Record& y = b.records()[static_cast<std::size_t>(row)];
  const bool same = x.id == y.id && x.shape == y.shape && x.dtype == y.dtype && x.producers == y.producers &&
                    x.fingerprint.hash == y.fingerprint.hash && a.sketch(row) == b.sketch(row) &&
                    a.has_payload(row) == b.has_payload(row);
  return same && (!a.has_payload(row) || a.payload(row) == b.payload(row));
}

// A self-check that a later step reports about a call belongs to that step's commit, and comes too late for a finished
// segment.
bool is_equal_call(const TraceReader& a, const TraceReader& b, std::size_t row) {
  const LayerCall& x = a.calls()[row];
  const LayerCall& y = b.calls()[row];
  const bool last = row + 1 == a.calls().size();
  return x.layer == y.layer && x.step == y.step && a.tape_text(x.tape) == b.tape_text(y.tape) &&
         a.blob(x.random) == b.blob(y.random) && (last || x.note.empty() || x.note == y.note);
}

class KillTest {
 public:
  explicit KillTest(std::uint64_t seed) : random_(seed) {
    record_run(folder_ / "undisturbed.h5", 0, {}, nullptr);
    whole_ = std::make_unique<TraceReader>(folder_ / "undisturbed.h5");
    const auto begin = Clock::now();
    run_child({}, std::chrono::hours(1), {});
    duration_ = Clock::now() - begin;
    require(fs::exists(file_), "an undisturbed child writes a trace");
    check_trace(steps);
    clean();
  }

  void kill_once(std::uint64_t number) {
    const KillPlan plan = plan_of(number);
    const Run run{.way = way_of(number), .segment_bytes = number % 5 == 4 ? 3'000'000u : 0u};
    const bool timed = plan.place == KillPlace::nowhere;
    const auto delay = timed ? below(static_cast<std::uint64_t>(duration_.count())) : 3'600'000'000'000;
    try {
      killed_ += run_child(plan, std::chrono::nanoseconds(delay), run) ? 1 : 0;
      judge();
      clean();
    } catch (const std::exception& failure) {
      throw std::runtime_error("kill " + std::to_string(number) + " (place " +
                               std::to_string(static_cast<int>(plan.place)) + ", call " + std::to_string(plan.call) +
                               "): " + failure.what());
    }
  }

  std::uint64_t killed() const { return killed_; }
  void report() const {
    std::cout << killed_ << " recordings killed; " << recovered_ << " recovered with " << recovered_steps_ << " steps, "
              << finished_ << " of them whole but for their name, " << in_seal_ << " in the middle of a seal in place; "
              << sealed_ << " sealed before, " << empty_ << " without a committed step\n";
  }

 private:
  std::uint64_t below(std::uint64_t bound) {
    return std::uniform_int_distribution<std::uint64_t>(0, bound - 1)(random_);
  }

  static Way way_of(std::uint64_t number) { return number / 6 % 2 == 0 ? Way::in_place : Way::copying; }

  static KillPlace place_at_the_end(std::uint64_t number) {
    const std::uint64_t round = number / 12;
    if (way_of(number) == Way::in_place) return round % 2 == 0 ? KillPlace::rename : KillPlace::sync;
    return round % 3 == 0 ? KillPlace::removal : round % 3 == 1 ? KillPlace::rename : KillPlace::sync;
  }

  KillPlan plan_of(std::uint64_t number) {
    KillPlan plan{.fraction = below(1025)};
    switch (number % 6) {
      case 0:
        plan = {.place = KillPlace::append, .call = below(300), .fraction = plan.fraction};
        break;
      case 1:
        plan = {.place = KillPlace::compression, .call = below(90), .fraction = below(400)};
        break;
      case 2:
        plan = {.place = KillPlace::seal_write,
                .call = below(way_of(number) == Way::in_place ? 45 : 130),
                .fraction = plan.fraction};
        break;
      case 3:
        plan.place = place_at_the_end(number);
        if (plan.place == KillPlace::sync) plan.call = below(3);
        break;
      default:
        break;  // at a random moment
    }
    return plan;
  }

  // True when it did not live to its end.
  bool run_child(const KillPlan& plan, std::chrono::nanoseconds delay, const Run& run) {
    committed_->store(0);
    const std::uint64_t seed = random_();
    const pid_t child = fork();
    if (child == 0) {
      plan_kill(plan);
      record_run(file_, seed, run, committed_);
      _exit(0);
    }
    int status = 0;
    const auto end = Clock::now() + delay;
    while (waitpid(child, &status, WNOHANG) == 0) {
      if (Clock::now() >= end) kill(child, SIGKILL);
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    if (WIFSIGNALED(status)) require(WTERMSIG(status) == SIGKILL, "the child died of another signal");
    require(WIFSIGNALED(status) || WEXITSTATUS(status) == 0, "the child failed");
    return WIFSIGNALED(status);
  }

  void judge() {
    if (fs::exists(file_)) {
      ++sealed_;
      check_trace(steps);  // a file under the trace's name is whole
    }
    for (const fs::path& journal : journals_of(file_)) recover(journal);
    std::uint64_t found = 0;
    try {
      found = TraceReader(file_).records().size() / jobs_per_step;
    } catch (const Error& error) {
      require(committed_->load() == 0, "committed steps are lost: " + std::string(error.what()));
      ++empty_;
      return;
    }
    require(found >= committed_->load(), std::to_string(found) + " steps of " + std::to_string(committed_->load()));
    check_trace(found);
    recovered_steps_ += found;
  }

  void recover(const fs::path& journal) {
    try {
      const bool is_finished = is_finished_journal(journal);
      finished_ += is_finished ? 1 : 0;
      in_seal_ += !is_finished && JournalReader(journal).scan().is_sealing ? 1 : 0;
      recover_journal(journal);
      ++recovered_;
    } catch (const Error& error) {
      require(error.code() == ErrorCode::incomplete || error.code() == ErrorCode::not_a_trace, error.what());
      require(committed_->load() == 0, error.what());
    }
  }

  void check_trace(std::uint64_t wanted) const {
    const TraceReader trace(file_);
    trace.verify();
    require(trace.records().size() == wanted * jobs_per_step, "a trace of another size");
    require(trace.calls().size() == wanted, "another number of calls");
    for (std::size_t row = 0; row < trace.records().size(); ++row) {
      require(is_equal(trace, *whole_, static_cast<std::int64_t>(row)), "row " + std::to_string(row) + " differs");
    }
    for (std::size_t row = 0; row < wanted; ++row) {
      require(is_equal_call(trace, *whole_, row), "call " + std::to_string(row) + " differs");
    }
  }

  void clean() const {
    for (const fs::directory_entry& each : fs::directory_iterator(folder_.path())) {
      if (each.path().filename().string().starts_with("run")) fs::remove(each.path());
    }
  }

  TemporaryFolder folder_;
  fs::path file_ = folder_ / "run.h5";
  std::mt19937_64 random_;
  std::unique_ptr<TraceReader> whole_;
  std::chrono::nanoseconds duration_{};
  Counter* committed_ =
      new (mmap(nullptr, sizeof(Counter), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) Counter(0);
  std::uint64_t killed_ = 0, recovered_ = 0, finished_ = 0, in_seal_ = 0, sealed_ = 0, empty_ = 0;
  std::uint64_t recovered_steps_ = 0;
};

std::uint64_t option(int count, char** arguments, const std::string& name, std::uint64_t otherwise) {
  for (int i = 1; i + 1 < count; ++i) {
    if (arguments[i] == name) return std::stoull(arguments[i + 1]);
  }
  return otherwise;
}

}  // namespace
}  // namespace goldentrace

int main(int count, char** arguments) {
  const std::uint64_t seed = goldentrace::option(count, arguments, "--seed", 1);
  const std::uint64_t kills = goldentrace::option(count, arguments, "--kills", 10);
  try {
    goldentrace::KillTest test(seed);
    for (std::uint64_t i = 0; test.killed() < kills; ++i) test.kill_once(i);
    test.report();
    return 0;
  } catch (const std::exception& failure) {
    std::cerr << failure.what() << "\nagain: kill_test --kills " << kills << " --seed " << seed << '\n';
    return 1;
  }
}
