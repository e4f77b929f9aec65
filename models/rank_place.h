// Which of several processes this one is, as the environment says it: in the variables of torchrun.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace goldentrace {

inline constexpr std::int64_t most_ranks = 1024;

struct RankPlace {
  std::int64_t rank = 0;         // RANK
  std::int64_t ranks = 1;        // WORLD_SIZE
  std::int64_t local_ranks = 1;  // LOCAL_WORLD_SIZE: those on this machine; ranks when it is not said
  // Where the ranks meet: a file that all of them see, or else a port of rank 0's machine.
  std::filesystem::path file;   // GOLDENTRACE_RANK_FILE
  std::string address;          // MASTER_ADDR
  std::uint16_t port = 0;       // MASTER_PORT
  bool port_is_served = false;  // TORCHELASTIC_USE_AGENT_STORE: not by rank 0, but by whoever started it
};

// None when the environment does not say that this process is one of at least two ranks. Error(usage) for variables
// that are incomplete or cannot be.
std::optional<RankPlace> rank_place();

// The variables that make a process this rank.
std::map<std::string, std::string> environment_of(const RankPlace& place);

}  // namespace goldentrace
