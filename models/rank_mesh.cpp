#include "models/rank_mesh.h"

#include "models/option_check.h"

namespace goldentrace {
namespace {

std::vector<std::int64_t> tensor_members(const RankLink& link, std::int64_t degree) {
  require(degree >= 1 && link.ranks() % degree == 0, "tensor_model_parallel_size " + std::to_string(degree) +
                                                         " does not divide " + std::to_string(link.ranks()) + " ranks");
  std::vector<std::int64_t> members;
  const std::int64_t first = link.rank() / degree * degree;
  for (std::int64_t rank = first; rank < first + degree; ++rank) members.push_back(rank);
  return members;
}

std::vector<std::int64_t> data_members(const RankLink& link, std::int64_t degree) {
  std::vector<std::int64_t> members;
  for (std::int64_t rank = link.rank() % degree; rank < link.ranks(); rank += degree) members.push_back(rank);
  return members;
}

}  // namespace

RankMesh::RankMesh(RankLink& link, std::int64_t tensor_degree)
    : tensor_(link, tensor_members(link, tensor_degree), 0), data_(link, data_members(link, tensor_degree), 1) {}

}  // namespace goldentrace
