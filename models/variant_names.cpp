#include "models/gpt.h"
#include "models/option_text.h"
#include "traces/error.h"

namespace goldentrace {

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
