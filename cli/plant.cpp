#include "cli/plant.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/flip.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/roll.h>
#include <ATen/ops/select_scatter.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "cli/choice.h"
#include "cli/record_options.h"
#include "cli/suggestion.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

const std::map<std::string, PlantKind> kinds = {{"scale", PlantKind::scale},   {"offset", PlantKind::offset},
                                                {"negate", PlantKind::negate}, {"swap-heads", PlantKind::swap_heads},
                                                {"shift", PlantKind::shift},   {"zero-row", PlantKind::zero_row},
                                                {"nan", PlantKind::nan},       {"round-bf16", PlantKind::round_bf16}};

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::usage, "--plant: " + what); }

std::string kind_name(PlantKind kind) {
  return std::find_if(kinds.begin(), kinds.end(), [&](const auto& entry) { return entry.second == kind; })->first;
}

bool takes_value(PlantKind kind) { return kind == PlantKind::scale || kind == PlantKind::offset; }

double parse_value(const std::string& text) {
  std::size_t used = 0;
  double value = std::numeric_limits<double>::quiet_NaN();
  try {
    value = std::stod(text, &used);
  } catch (const std::exception&) {
  }
  if (used != text.size() || !std::isfinite(value)) refuse("'" + text + "' is no finite number");
  return value;
}

bool ends_with_any(const std::string& layer, std::initializer_list<const char*> endings) {
  return std::any_of(endings.begin(), endings.end(), [&](const char* ending) { return layer.ends_with(ending); });
}

// Megatron and BLOOM keep the query, key and value of a head together.
bool is_interleaved(const std::string& layer) { return layer.ends_with(".query_key_value"); }

// [b,n,s,s] has heads in axis 1; [b,s,h] and [b,s,3h] hold them side by side in the last axis.
at::Tensor swap_heads(const at::Tensor& output, const std::string& layer, std::int64_t heads) {
  if (output.dim() == 4 && output.size(1) == heads) return output.flip({1});
  const std::int64_t thirds = layer.ends_with(".c_attn") ? 3 : 1;
  const std::int64_t width = output.size(2) / (thirds * heads);
  return output.reshape({output.size(0), output.size(1), thirds, heads, width}).flip({3}).reshape(output.sizes());
}

bool has_heads(const at::Tensor& output, const std::string& layer, std::int64_t heads) {
  if (heads < 2) return false;
  if (output.dim() == 4) return output.size(1) == heads;
  const bool named = ends_with_any(layer, {".attn.context", ".attn.c_attn", ".self_attention.context"});
  return output.dim() == 3 && (named || (is_interleaved(layer) && output.size(2) % heads == 0));
}

// Megatron's layers work on [s, b, h].
bool sequence_first(const at::Tensor& output, const std::string& layer) {
  return output.dim() == 3 && (layer.starts_with("layers.") || layer == "encoder.input");
}

// Else positions are the last axis but one, where there are two axes for batch and values beside it.
std::int64_t position_axis(const at::Tensor& output, const std::string& layer) {
  return sequence_first(output, layer) ? 0 : output.dim() - 2;
}

at::Tensor zero_first_row(const at::Tensor& output) {
  const at::Tensor rows = output.reshape({-1, output.size(-1)});
  return at::select_scatter(rows, at::zeros_like(rows.select(0, 0)), 0, 0).reshape(output.sizes());
}

at::Tensor nan_first_element(const at::Tensor& output) {
  const at::Tensor flat = output.reshape({-1});
  const at::Tensor nan = at::full_like(flat.select(0, 0), std::numeric_limits<double>::quiet_NaN());
  return at::select_scatter(flat, nan, 0, 0).reshape(output.sizes());
}

// Why the fault means nothing for this tensor, if so.
std::optional<std::string> objection(PlantKind kind, const at::Tensor& output, const std::string& layer,
                                     std::int64_t heads) {
  if (!output.is_floating_point()) return "its output holds no floating-point numbers";
  if (output.numel() == 0) return "its output has no elements";
  if (kind == PlantKind::swap_heads && !has_heads(output, layer, heads)) return "its output has no heads to swap";
  if (kind == PlantKind::shift && (output.dim() < 2 || output.size(position_axis(output, layer)) < 2)) {
    return "its output has no positions to shift";
  }
  if (kind == PlantKind::zero_row && output.dim() < 2) return "its output has no rows";
  if (kind == PlantKind::round_bf16 && output.scalar_type() == at::kBFloat16) return "its output is bfloat16 already";
  return std::nullopt;
}

}  // namespace

PlantSpec parse_plant(const std::string& text) {
  const std::size_t at = text.find('@');
  if (at == std::string::npos || at + 1 == text.size()) refuse("'" + text + "' is not KIND@LAYER, such as negate@ln_f");
  const std::string word = text.substr(0, at);
  const std::size_t equals = word.find('=');
  const auto kind = kinds.find(word.substr(0, equals));
  if (kind == kinds.end()) refuse_choice("--plant", word, plant_kinds());
  if (takes_value(kind->second) != (equals != std::string::npos)) {
    refuse(kind->first +
           (takes_value(kind->second) ? " needs a value, such as " + kind->first + "=1.5" : " takes no value"));
  }
  PlantSpec spec{kind->second, 0, text.substr(at + 1)};
  if (takes_value(spec.kind)) spec.value = parse_value(word.substr(equals + 1));
  const double identity = spec.kind == PlantKind::scale ? 1 : 0;
  if (takes_value(spec.kind) && spec.value == identity) refuse(word + " changes nothing");
  return spec;
}

Plant::Plant(PlantSpec spec, std::int64_t heads) : spec_(std::move(spec)), heads_(heads) {}

at::Tensor Plant::apply(const std::string& layer, at::Tensor output) {
  if (layer != spec_.layer) {
    if (!seen_ && std::find(layers_.begin(), layers_.end(), layer) == layers_.end()) layers_.push_back(layer);
    return output;
  }
  seen_ = true;
  if (const auto reason = objection(spec_.kind, output, layer, heads_)) {
    refuse(kind_name(spec_.kind) + " means nothing at " + layer + ": " + *reason);
  }
  return fault(output);
}

at::Tensor Plant::fault(const at::Tensor& output) const {
  switch (spec_.kind) {
    case PlantKind::scale:
      return output.mul(spec_.value);
    case PlantKind::offset:
      return output.add(spec_.value);
    case PlantKind::negate:
      return output.neg();
    case PlantKind::swap_heads:
      return swap_heads(output, spec_.layer, heads_);
    case PlantKind::shift:
      return at::roll(output, 1, position_axis(output, spec_.layer));
    case PlantKind::zero_row:
      return zero_first_row(output);
    case PlantKind::nan:
      return nan_first_element(output);
    case PlantKind::round_bf16:
      return output.to(at::kBFloat16).to(output.scalar_type());
  }
  return output;
}

void Plant::check_seen() const {
  if (seen_) return;
  refuse("no layer '" + spec_.layer + "', " + suggestion(spec_.layer, layers_));
}

}  // namespace goldentrace
