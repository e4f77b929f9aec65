// Runs code in a child process, for tests of locks, limits, users and sudden death.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <string>

namespace goldentrace::testing_support {

// Returns what `code` returned, 100 when it threw, 128 + number when a signal ended the child. No destructors of the
// parent's objects run in the child.
inline int in_child(const std::function<int()>& code) {
  const pid_t child = fork();
  if (child == 0) {
    try {
      _exit(code());
    } catch (const std::exception& error) {
      std::cerr << error.what() << std::endl;
      _exit(100);
    }
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// A child that lives until it is told to end, or killed.
class Child {
 public:
  // `code` calls its argument when it is ready, and that call returns when the parent asks the child to go on.
  explicit Child(const std::function<void(const std::function<void()>& ready_and_wait)>& code) {
    if (pipe(to_parent_) != 0 || pipe(to_child_) != 0) throw std::runtime_error("no pipe");
    pid_ = fork();
    if (pid_ == 0) {
      const auto ready_and_wait = [this] {
        char byte = 'r';
        if (write(to_parent_[1], &byte, 1) != 1 || read(to_child_[0], &byte, 1) != 1) _exit(101);
      };
      try {
        code(ready_and_wait);
        _exit(0);
      } catch (const std::exception& error) {
        std::cerr << error.what() << std::endl;
        _exit(100);
      }
    }
    char byte = 0;
    if (read(to_parent_[0], &byte, 1) != 1) throw std::runtime_error("the child died");
  }
  ~Child() {
    if (pid_ > 0) kill_now();
    for (int each : {to_parent_[0], to_parent_[1], to_child_[0], to_child_[1]}) close(each);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int finish() {  // lets it go on and waits; its exit code
    const char byte = 'g';
    if (write(to_child_[1], &byte, 1) != 1) return -1;
    return wait();
  }
  void kill_now() {
    ::kill(pid_, SIGKILL);
    wait();
  }

 private:
  int wait() {
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  int to_parent_[2] = {-1, -1};
  int to_child_[2] = {-1, -1};
  pid_t pid_ = -1;
};

}  // namespace goldentrace::testing_support
