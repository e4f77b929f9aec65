#include "models/gpt.h"
#include "models/mlp.h"
#include "models/option_text.h"
#include "traces/error.h"

namespace goldentrace {

std::string_view name(MlpVariant variant) { return variant == MlpVariant::plain ? "plain" : "ga-loop"; }

MlpVariant parse_mlp_variant(std::string_view name) {
  if (name == "plain") return MlpVariant::plain;
  if (name == "ga-loop") return MlpVariant::ga_loop;
  throw Error(ErrorCode::usage, "unknown variant " + std::string(name) + "; known: plain, ga-loop");
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
