// Stands for rank_link.cpp in a build that cannot have it.
#include "models/rank_link.h"

namespace goldentrace {

struct RankLink::State {};

std::string ranks_missing() { return GOLDENTRACE_RANKS_MISSING; }

RankLink::RankLink(const RankPlace&, std::chrono::milliseconds) {
  throw Error(ErrorCode::unsupported, "this build has no ranks: " + ranks_missing());
}
RankLink::~RankLink() = default;

std::int64_t RankLink::rank() const { return 0; }
std::int64_t RankLink::ranks() const { return 1; }

std::vector<at::Tensor> RankLink::exchange(const std::vector<std::int64_t>&, const at::Tensor& mine, std::int32_t,
                                           const std::string&) {
  return {mine};
}

std::string RankLink::of_first(const std::string&, const std::string& text) { return text; }
void RankLink::leave() {}

}  // namespace goldentrace
