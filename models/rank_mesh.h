// The ranks of a run as data-parallel copies of tensor-parallel groups.
#pragma once

#include <cstdint>

#include "models/rank_group.h"

namespace goldentrace {

// rank = data index · tensor degree + tensor index.
class RankMesh {
 public:
  // Error(usage) unless `tensor_degree` divides the number of ranks. `link` must outlive the mesh.
  RankMesh(RankLink& link, std::int64_t tensor_degree);

  const RankGroup& data() const { return data_; }
  const RankGroup& tensor() const { return tensor_; }
  RankGroup& data() { return data_; }      // ranks that hold the same weights and other rows of the batch
  RankGroup& tensor() { return tensor_; }  // ranks that hold parts of the same weights and the same rows

 private:
  RankGroup tensor_;
  RankGroup data_;
};

}  // namespace goldentrace
