// SIGINT and SIGTERM for a process that only passes them on.
#pragma once

#include <memory>

namespace goldentrace {

// While it lives, signals do not end the process. What the terminal sends goes to the whole foreground group; only what
// was sent to this process alone has to be passed on. One at a time.
class PassedSignal {
 public:
  PassedSignal();
  ~PassedSignal();
  PassedSignal(const PassedSignal&) = delete;
  PassedSignal& operator=(const PassedSignal&) = delete;

  int received() const;  // the last one; 0: none
  int take();            // the one to pass on, once; 0: none

 private:
  struct Before;
  std::unique_ptr<Before> before_;
};

}  // namespace goldentrace
