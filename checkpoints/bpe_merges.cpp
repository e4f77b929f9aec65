#include "checkpoints/bpe_merges.h"

#include <queue>
#include <tuple>

namespace goldentrace {
namespace {

constexpr std::size_t nobody = static_cast<std::size_t>(-1);

std::uint64_t key(std::int32_t left, std::int32_t right) {
  return (std::uint64_t{static_cast<std::uint32_t>(left)} << 32) | static_cast<std::uint32_t>(right);
}

// Tokens as a linked list, so that a merge moves nothing.
struct Link {
  std::int32_t token = 0;
  std::size_t before = nobody, after = nobody;
  bool gone = false;
};

struct Candidate {
  std::uint32_t rank = 0;
  std::size_t position = 0;  // of the left one
  std::int32_t token = 0;

  bool operator<(const Candidate& other) const {  // the queue gives the largest first
    return std::tie(rank, position) > std::tie(other.rank, other.position);
  }
};

std::vector<Link> links_of(const std::vector<std::int32_t>& tokens) {
  std::vector<Link> links;
  for (std::size_t i = 0; i < tokens.size(); ++i)
    links.push_back({tokens[i], i == 0 ? nobody : i - 1, i + 1 == tokens.size() ? nobody : i + 1});
  return links;
}

}  // namespace

bool BpeMerges::add(std::int32_t left, std::int32_t right, Merge merge) {
  return merges_.emplace(key(left, right), merge).second;
}

std::optional<BpeMerges::Merge> BpeMerges::find(std::int32_t left, std::int32_t right) const {
  const auto found = merges_.find(key(left, right));
  return found == merges_.end() ? std::nullopt : std::optional(found->second);
}

void BpeMerges::apply(std::vector<std::int32_t>& tokens) const {
  std::vector<Link> links = links_of(tokens);
  std::priority_queue<Candidate> queue;
  const auto propose = [&](std::size_t left) {
    if (left == nobody || links[left].after == nobody) return;
    if (const auto merge = find(links[left].token, links[links[left].after].token))
      queue.push({merge->rank, left, merge->token});
  };
  for (std::size_t i = 0; i < links.size(); ++i) propose(i);
  while (!queue.empty()) {
    const Candidate best = queue.top();
    queue.pop();
    Link& left = links[best.position];
    if (left.gone || left.after == nobody) continue;
    Link& right = links[left.after];
    const auto merge = find(left.token, right.token);
    if (!merge || merge->token != best.token) continue;  // one of the two has changed since
    left.token = best.token;
    right.gone = true;
    left.after = right.after;
    if (left.after != nobody) links[left.after].before = best.position;
    propose(left.before);
    propose(best.position);
  }
  tokens.clear();
  for (const Link& link : links)
    if (!link.gone) tokens.push_back(link.token);
}

}  // namespace goldentrace
