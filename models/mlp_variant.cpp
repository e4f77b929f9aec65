#include <array>
#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>

#include "models/mlp.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

constexpr std::string_view checkpointed = "-ckpt", sharded = "dp";
constexpr std::array<std::pair<std::string_view, MlpVariant>, 3> loops{
    {{"plain", MlpVariant::plain}, {"ga-loop", MlpVariant::ga_loop}, {"ga-while", MlpVariant::ga_while}}};

std::string loop_name(const MlpOptions& options) {
  for (const auto& [name, variant] : loops)
    if (variant == options.variant) return std::string(name);
  return std::string(sharded) + std::to_string(options.shards);
}

// False unless the text is "dp" and a number without signs or leading zeros.
bool set_shards(MlpOptions& options, std::string_view loop) {
  if (!loop.starts_with(sharded)) return false;
  const std::string_view digits = loop.substr(sharded.size());
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), options.shards);
  return failure == std::errc() && end == digits.data() + digits.size() && digits.front() >= '1';
}

}  // namespace

bool accumulates(MlpVariant variant) { return variant == MlpVariant::ga_loop || variant == MlpVariant::ga_while; }

std::string variant_name(const MlpOptions& options) {
  return loop_name(options) + (options.checkpointing == Checkpointing::on ? std::string(checkpointed) : "");
}

void set_variant(MlpOptions& options, std::string_view name) {
  std::string_view loop = name;
  options.checkpointing = loop.ends_with(checkpointed) ? Checkpointing::on : Checkpointing::off;
  if (options.checkpointing == Checkpointing::on) loop.remove_suffix(checkpointed.size());
  options.shards = 1;
  for (const auto& [known, variant] : loops) {
    options.variant = variant;
    if (known == loop) return;
  }
  options.variant = MlpVariant::dp;
  if (!set_shards(options, loop))
    throw Error(ErrorCode::usage,
                "unknown variant " + std::string(name) + "; known: plain, ga-loop, ga-while, dp<k>, with -ckpt");
}

}  // namespace goldentrace
