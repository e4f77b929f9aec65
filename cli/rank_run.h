// This process as one rank of a recording.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "models/rank_mesh.h"
#include "traces/header.h"

namespace goldentrace {

class RankRun {
 public:
  // Waits for the other ranks, and for each of them later, at most `patience`: RankLost.
  RankRun(const RankPlace& place, std::chrono::milliseconds patience, std::int64_t tensor_degree);

  RankMesh& mesh() { return mesh_; }
  Header facts() const;            // rank, ranks, ranks.data, ranks.tensor, run.id
  void leave() { link_.leave(); }  // after training: waits until no other rank needs this one

 private:
  RankLink link_;
  RankMesh mesh_;
  std::string run_id_;
};

}  // namespace goldentrace
