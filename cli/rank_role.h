// What this process is in a recording on several ranks: the one that starts them, one of them, or the only one.
#pragma once

#include <memory>
#include <optional>

#include "cli/rank_run.h"
#include "cli/record_options.h"
#include "models/rank_place.h"

namespace goldentrace {

class RankRole {
 public:
  // By --ranks and the environment, in the variables of torchrun. Error(usage) where they disagree, and for options
  // that a run on several ranks cannot have.
  explicit RankRole(const RecordOptions& given);

  // Those of this process: a rank has its own file to write, its share of the processors, and only rank 0 talks.
  const RecordOptions& options() const { return options_; }
  bool starts_others() const { return !place_ && options_.run.ranks > 1; }
  // Meets the other ranks; null where there are none. `tensor_degree`: of tensor-parallel ranks.
  std::unique_ptr<RankRun> join(std::int64_t tensor_degree) const;

 private:
  RecordOptions options_;
  std::optional<RankPlace> place_;
};

}  // namespace goldentrace
