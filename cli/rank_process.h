// One rank that this process has started.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace goldentrace {

// What becomes of the stdout of a rank.
enum class RankOutput { shared, kept, dropped };

class RankProcess {
 public:
  // Starts `command` with our environment and `variables`. Error(input_output) when it cannot be started.
  RankProcess(const std::vector<std::string>& command, const std::map<std::string, std::string>& variables,
              RankOutput output);
  ~RankProcess();  // kills it if it still runs
  RankProcess(const RankProcess&) = delete;
  RankProcess& operator=(const RankProcess&) = delete;

  bool has_ended();                  // looks, does not wait
  int exit_code() const;             // of one that has ended by itself, else 0
  int signal() const;                // that ended it, else 0
  void send(int signal);             // nothing when it has ended
  std::vector<int> streams() const;  // to wait for, both of them readable in read()

  // Reads what is there, without waiting; returns the whole lines of its stderr, the last of one that has ended too.
  std::vector<std::string> read();
  const std::string& kept() const { return kept_; }

 private:
  std::vector<std::string> take_lines();

  pid_t pid_ = 0;
  bool ended_ = false;
  int status_ = 0;
  int error_ = -1, output_ = -1;  // ours of the pipes; -1: closed or none
  std::string pending_, kept_;
};

}  // namespace goldentrace
