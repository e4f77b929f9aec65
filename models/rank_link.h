// The connection of this process to the other ranks of a run: c10d's Gloo on the CPU.
#pragma once

#include <ATen/core/Tensor.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/rank_place.h"
#include "traces/error.h"

namespace goldentrace {

// Another rank ended or is too late. Code incomplete: what was computed so far is right.
struct RankLost : Error {
  explicit RankLost(const std::string& what) : Error(ErrorCode::incomplete, what) {}
};

// Why this build has no ranks: "" when it has.
std::string ranks_missing();

// One thread. Every rank calls the same members in the same order, with the same arguments but for the tensors; what
// takes longer than `patience` is RankLost, naming the rank and what was waited for. Listens on the loopback interface
// when the ranks meet in a file or on it.
class RankLink {
 public:
  // Waits until all ranks are there. Error(unsupported) in a build without ranks.
  RankLink(const RankPlace& place, std::chrono::milliseconds patience);
  ~RankLink();
  RankLink(const RankLink&) = delete;
  RankLink& operator=(const RankLink&) = delete;

  std::int64_t rank() const;
  std::int64_t ranks() const;

  // The tensors of `members` (ranks, this one among them), in their order; all of one shape and dtype, contiguous
  // copies on the CPU. `tag` tells exchanges of different members apart. Not seen by recorders.
  std::vector<at::Tensor> exchange(const std::vector<std::int64_t>& members, const at::Tensor& mine, std::int32_t tag,
                                   const std::string& what);

  // The text of rank 0. `key` is used once.
  std::string of_first(const std::string& key, const std::string& text);

  // The last call: returns when no other rank needs this one any more.
  void leave();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace goldentrace
