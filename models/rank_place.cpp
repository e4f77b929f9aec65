#include "models/rank_place.h"

#include <charconv>
#include <cstdlib>

#include "traces/error.h"
#include "traces/printable.h"

namespace goldentrace {
namespace {

constexpr const char* file_variable = "GOLDENTRACE_RANK_FILE";

std::string text_of(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

std::int64_t number_of(const char* variable, std::int64_t least, std::int64_t most) {
  const std::string text = text_of(variable);
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure == std::errc() && end == text.data() + text.size() && value >= least && value <= most) return value;
  throw Error(ErrorCode::usage, std::string("the environment variable ") + variable + " is '" + printable(text) +
                                    "', no number from " + std::to_string(least) + " to " + std::to_string(most));
}

void read_meeting_point(RankPlace& place) {
  place.file = text_of(file_variable);
  if (!place.file.empty()) return;
  place.address = text_of("MASTER_ADDR");
  if (place.address.empty() || text_of("MASTER_PORT").empty())
    throw Error(ErrorCode::usage,
                "RANK and WORLD_SIZE say that this is one of several ranks, but MASTER_ADDR and MASTER_PORT do not say "
                "where they meet; start it with torchrun or --ranks, or unset them");
  place.port = static_cast<std::uint16_t>(number_of("MASTER_PORT", 1, 65535));
  place.port_is_served = text_of("TORCHELASTIC_USE_AGENT_STORE") == "True";
}

}  // namespace

std::optional<RankPlace> rank_place() {
  if (text_of("RANK").empty() || text_of("WORLD_SIZE").empty()) return std::nullopt;
  RankPlace place;
  place.ranks = number_of("WORLD_SIZE", 1, most_ranks);
  place.rank = number_of("RANK", 0, place.ranks - 1);
  if (place.ranks == 1) return std::nullopt;
  place.local_ranks = text_of("LOCAL_WORLD_SIZE").empty() ? place.ranks : number_of("LOCAL_WORLD_SIZE", 1, place.ranks);
  read_meeting_point(place);
  return place;
}

std::map<std::string, std::string> environment_of(const RankPlace& place) {
  return {{"RANK", std::to_string(place.rank)},
          {"LOCAL_RANK", std::to_string(place.rank)},
          {"WORLD_SIZE", std::to_string(place.ranks)},
          {"LOCAL_WORLD_SIZE", std::to_string(place.local_ranks)},
          {file_variable, place.file.string()}};
}

}  // namespace goldentrace
