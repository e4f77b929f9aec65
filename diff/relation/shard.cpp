#include "diff/relation/shard.h"

#include <algorithm>
#include <charconv>

namespace goldentrace {

namespace {

constexpr std::int64_t most_ranks = 1 << 20;

}  // namespace

ShardPlace merged(ShardPlace shard, Dimension over) {
  if (over == Dimension::micro && shard.micro != no_micro) shard.micro = 0;
  if (over == Dimension::data || over == Dimension::rank) shard.data = 0;
  if (over == Dimension::tensor || over == Dimension::rank) shard.tensor = 0;
  return shard;
}

std::int64_t header_count(const Header* header, const std::string& name, std::int64_t otherwise) {
  const auto found = header ? header->find(name) : Header::const_iterator{};
  if (!header || found == header->end()) return otherwise;
  std::int64_t count = 0;
  const std::string& text = found->second;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && count >= 1 ? count : otherwise;
}

RankGrid::RankGrid(const Header* header)
    : tensor_(static_cast<std::int32_t>(std::min(header_count(header, "ranks.tensor"), most_ranks))) {}

}  // namespace goldentrace
