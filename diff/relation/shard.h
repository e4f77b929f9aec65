// Where a record stands among the micro-batches and ranks of its step.
#pragma once

#include <compare>
#include <cstdint>

#include "traces/header.h"
#include "traces/record_id.h"

namespace goldentrace {

enum class Dimension { micro, rank, data, tensor };  // rank: data and tensor at once

struct ShardPlace {
  std::int64_t micro = 0;
  std::int32_t data = 0;
  std::int32_t tensor = 0;

  auto operator<=>(const ShardPlace&) const = default;
};

// All shards along this dimension as one.
ShardPlace merged(ShardPlace shard, Dimension over);

// How ranks are numbered: rank = data * (degree of tensor) + tensor. The degrees are the header entries `ranks.data`
// and `ranks.tensor`; without them every rank holds data of its own.
class RankGrid {
 public:
  explicit RankGrid(const Header* header);

  std::int32_t tensor_degree() const { return tensor_; }
  ShardPlace shard_of(const RecordId& id) const { return {id.micro, id.rank / tensor_, id.rank % tensor_}; }

 private:
  std::int32_t tensor_ = 1;
};

// A header entry that is a whole number of at least 1; `otherwise` where it is absent or something else.
std::int64_t header_count(const Header* header, const std::string& name, std::int64_t otherwise = 1);

}  // namespace goldentrace
