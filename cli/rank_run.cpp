#include "cli/rank_run.h"

#include <array>
#include <random>

namespace goldentrace {
namespace {

std::string random_id() {
  std::random_device source;
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%08x%08x", source(), source());
  return text.data();
}

}  // namespace

RankRun::RankRun(const RankPlace& place, std::chrono::milliseconds patience, std::int64_t tensor_degree)
    : link_(place, patience), mesh_(link_, tensor_degree), run_id_(link_.of_first("run id", random_id())) {}

Header RankRun::facts() const {
  return {{"rank", std::to_string(link_.rank())},
          {"ranks", std::to_string(link_.ranks())},
          {"ranks.data", std::to_string(mesh_.data().size())},
          {"ranks.tensor", std::to_string(mesh_.tensor().size())},
          {"run.id", run_id_}};
}

}  // namespace goldentrace
