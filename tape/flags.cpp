#include "tape/flags.h"

#include <ATen/Context.h>

#include <optional>

namespace goldentrace {
namespace {

constexpr const char* deterministic_key = "torch.deterministic";
constexpr const char* precision_key = "torch.float32_matmul_precision";
constexpr const char* mkldnn_key = "torch.mkldnn";

std::string flag_text(bool value) { return value ? "true" : "false"; }

std::string precision_text(at::Float32MatmulPrecision precision) {
  switch (precision) {
    case at::Float32MatmulPrecision::HIGHEST:
      return "highest";
    case at::Float32MatmulPrecision::HIGH:
      return "high";
    case at::Float32MatmulPrecision::MEDIUM:
      return "medium";
  }
  return "";
}

bool is_precision(const std::string& text) { return text == "highest" || text == "high" || text == "medium"; }

std::optional<bool> truth(const Header& header, const char* key) {
  const auto found = header.find(key);
  if (found == header.end() || (found->second != "true" && found->second != "false")) return std::nullopt;
  return found->second == "true";
}

void apply(const Header& header) {
  at::Context& context = at::globalContext();
  if (const auto on = truth(header, deterministic_key); on && *on != context.deterministicAlgorithms()) {
    context.setDeterministicAlgorithms(*on, context.deterministicAlgorithmsWarnOnly());
  }
  if (const auto on = truth(header, mkldnn_key)) context.setUserEnabledMkldnn(*on);
  const auto wanted = header.find(precision_key);
  if (wanted != header.end() && is_precision(wanted->second)) context.setFloat32MatmulPrecision(wanted->second);
}

}  // namespace

Header torch_flags() {
  const at::Context& context = at::globalContext();
  return {{deterministic_key, flag_text(context.deterministicAlgorithms())},
          {precision_key, precision_text(context.float32MatmulPrecision())},
          {mkldnn_key, flag_text(context.userEnabledMkldnn())}};
}

TorchFlags::TorchFlags(const Header& header) : before_(torch_flags()) { apply(header); }

TorchFlags::~TorchFlags() { apply(before_); }

}  // namespace goldentrace
