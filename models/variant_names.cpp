#include <charconv>

#include "models/gpt.h"
#include "models/mlp.h"
#include "models/option_text.h"
#include "traces/error.h"

namespace goldentrace {

std::string variant_name(const MlpOptions& options) {
  if (options.variant == MlpVariant::dp) return "dp" + std::to_string(options.shards);
  return options.variant == MlpVariant::plain ? "plain" : "ga-loop";
}

void set_variant(MlpOptions& options, std::string_view name) {
  if (name == "plain") return static_cast<void>(options.variant = MlpVariant::plain);
  if (name == "ga-loop") return static_cast<void>(options.variant = MlpVariant::ga_loop);
  std::int64_t shards = 0;
  const char* last = name.data() + name.size();
  const bool is_dp = name.starts_with("dp") && std::from_chars(name.data() + 2, last, shards).ptr == last;
  if (!is_dp || shards < 1)
    throw Error(ErrorCode::usage,
                "unknown variant " + std::string(name) + "; known: plain, ga-loop, dp1, dp2 and so on");
  options.variant = MlpVariant::dp;
  options.shards = shards;
}

std::string_view name(OptimizerKind kind) { return kind == OptimizerKind::sgd ? "sgd" : "adamw"; }

std::string_view name(GptKind kind) { return choices(kind)[static_cast<std::size_t>(kind)]; }

GptKind parse_gpt_kind(std::string_view name) {
  GptKind kind{};
  parse("shape", name, kind);
  return kind;
}

OptimizerKind parse_optimizer_kind(std::string_view name) {
  if (name == "sgd") return OptimizerKind::sgd;
  if (name == "adamw") return OptimizerKind::adamw;
  throw Error(ErrorCode::usage, "unknown optimizer " + std::string(name) + "; known: sgd, adamw");
}

}  // namespace goldentrace
