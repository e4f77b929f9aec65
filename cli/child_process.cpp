#include "cli/child_process.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "cli/child_environment.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

std::atomic<pid_t> child{0};
std::atomic<int> received{0};

// What the terminal sends goes to the whole foreground group; only what was sent to us alone has to be passed on.
void pass_on(int signal, siginfo_t* info, void*) {
  received = signal;
  const pid_t target = child;
  if (info->si_code == SI_USER && target > 0) kill(target, signal);
}

class ForwardedSignals {
 public:
  ForwardedSignals() {
    struct sigaction action {};
    action.sa_sigaction = pass_on;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, &old_interrupt_);
    sigaction(SIGTERM, &action, &old_terminate_);
  }
  ~ForwardedSignals() {
    sigaction(SIGINT, &old_interrupt_, nullptr);
    sigaction(SIGTERM, &old_terminate_, nullptr);
  }
  ForwardedSignals(const ForwardedSignals&) = delete;
  ForwardedSignals& operator=(const ForwardedSignals&) = delete;

 private:
  struct sigaction old_interrupt_ {};
  struct sigaction old_terminate_ {};
};

// Owns what posix_spawn is to do with the streams.
class Streams {
 public:
  explicit Streams(ChildOutput output) {
    posix_spawn_file_actions_init(&actions_);
    if (output == ChildOutput::to_stderr) posix_spawn_file_actions_adddup2(&actions_, STDERR_FILENO, STDOUT_FILENO);
  }
  ~Streams() { posix_spawn_file_actions_destroy(&actions_); }
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

pid_t start(const std::vector<std::string>& command, const std::vector<std::string>& variables, ChildOutput output) {
  pid_t started = 0;
  const int failure = posix_spawnp(&started, command.front().c_str(), Streams(output).get(), nullptr,
                                   word_pointers(command).data(), word_pointers(variables).data());
  if (failure == 0) return started;
  throw Error(failure == ENOENT ? ErrorCode::not_found : ErrorCode::input_output,
              std::string("cannot be started: ") + std::strerror(failure), {command.front(), ""});
}

}  // namespace

ChildResult run_child(const std::vector<std::string>& command, const std::map<std::string, std::string>& environment,
                      ChildOutput output) {
  received = 0;
  const ForwardedSignals forwarded;
  child = start(command, merged_environment(environment), output);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  child = 0;
  return {.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0,
          .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
          .received = received};
}

}  // namespace goldentrace
