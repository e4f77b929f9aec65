#include "cli/rank_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "cli/child_environment.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

struct Pipe {
  int ours = -1, theirs = -1;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw Error(ErrorCode::input_output, std::string("cannot make a pipe: ") + std::strerror(errno));
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return {ends[0], ends[1]};
}

pid_t start(const std::vector<std::string>& command, const std::vector<std::string>& variables,
            const posix_spawn_file_actions_t& actions) {
  pid_t started = 0;
  const int failure = posix_spawn(&started, command.front().c_str(), &actions, nullptr, word_pointers(command).data(),
                                  word_pointers(variables).data());
  if (failure == 0) return started;
  throw Error(ErrorCode::input_output, std::string("cannot be started: ") + std::strerror(failure),
              {command.front(), ""});
}

// Appends what can be read; false at the end of the stream.
bool drain(int descriptor, std::string& text) {
  std::array<char, 4096> buffer;
  while (true) {
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(count));
      continue;
    }
    if (count < 0 && errno == EINTR) continue;
    return count < 0 && errno == EAGAIN;
  }
}

void close_at_end(int& descriptor, std::string& text) {
  if (descriptor < 0 || drain(descriptor, text)) return;
  close(descriptor);
  descriptor = -1;
}

}  // namespace

RankProcess::RankProcess(const std::vector<std::string>& command, const std::map<std::string, std::string>& variables,
                         RankOutput output) {
  const Pipe errors = make_pipe(), results = output == RankOutput::kept ? make_pipe() : Pipe{};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, errors.theirs, STDERR_FILENO);
  if (output == RankOutput::kept) posix_spawn_file_actions_adddup2(&actions, results.theirs, STDOUT_FILENO);
  if (output == RankOutput::dropped)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  error_ = errors.ours;
  output_ = results.ours;
  pid_ = start(command, merged_environment(variables), actions);
  posix_spawn_file_actions_destroy(&actions);
  close(errors.theirs);
  if (results.theirs >= 0) close(results.theirs);
}

RankProcess::~RankProcess() {
  if (!has_ended()) {
    send(SIGKILL);
    waitpid(pid_, &status_, 0);
  }
  for (const int descriptor : {error_, output_})
    if (descriptor >= 0) close(descriptor);
}

bool RankProcess::has_ended() {
  if (!ended_) ended_ = waitpid(pid_, &status_, WNOHANG) == pid_;
  return ended_;
}

int RankProcess::exit_code() const { return ended_ && WIFEXITED(status_) ? WEXITSTATUS(status_) : 0; }
int RankProcess::signal() const { return ended_ && WIFSIGNALED(status_) ? WTERMSIG(status_) : 0; }

void RankProcess::send(int signal) {
  if (!has_ended()) kill(pid_, signal);
}

std::vector<int> RankProcess::streams() const { return {error_, output_}; }

std::vector<std::string> RankProcess::read() {
  close_at_end(error_, pending_);
  close_at_end(output_, kept_);
  return take_lines();
}

std::vector<std::string> RankProcess::take_lines() {
  if (error_ < 0 && !pending_.empty() && !pending_.ends_with('\n')) pending_ += '\n';
  std::vector<std::string> lines;
  for (std::size_t end; (end = pending_.find('\n')) != std::string::npos; pending_.erase(0, end + 1))
    lines.push_back(pending_.substr(0, end));
  return lines;
}

}  // namespace goldentrace
