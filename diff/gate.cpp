#include "diff/gate.h"

#include <algorithm>
#include <array>
#include <utility>

#include "diff/number.h"
#include "traces/error.h"

namespace goldentrace {

namespace {

Limits default_limits(DType dtype) {
  switch (dtype) {
    case DType::float16:
    case DType::complex32:
      return {1e-3, 1e-5, 5e-3};
    case DType::bfloat16:
      return {1.6e-2, 1e-5, 3e-2};
    case DType::float32:
    case DType::complex64:
      return {1.3e-6, 1e-5, 1e-5};
    case DType::float64:
    case DType::complex128:
      return {1e-7, 1e-7, 1e-12};
    default:
      return {};
  }
}

bool is_inexact(DType dtype) {
  const DTypeClass kind = dtype_class(dtype);
  return kind == DTypeClass::floating || kind == DTypeClass::complex;
}

std::string_view kind_name(GateKind kind) {
  constexpr std::array<std::string_view, 3> names = {"bitwise", "allclose", "rel"};
  return names.at(static_cast<std::size_t>(kind));
}

}  // namespace

Limits limits(const Gate& gate, DType a, DType b) {
  if (!is_inexact(a) || !is_inexact(b)) return {};
  const Limits of_a = default_limits(a);
  const Limits of_b = default_limits(b);
  return {gate.rtol.value_or(std::max(of_a.rtol, of_b.rtol)), gate.atol.value_or(std::max(of_a.atol, of_b.atol)),
          gate.rel.value_or(std::max(of_a.rel, of_b.rel))};
}

std::string_view name(Finding finding) {
  constexpr std::array<std::string_view, 7> names = {"bit-equal",     "within the gate",          "shape differs",
                                                     "dtype differs", "non-finite values differ", "values differ",
                                                     "undecidable"};
  return names.at(static_cast<std::size_t>(finding));
}

std::string describe(const Gate& gate, DType a, DType b) {
  const std::string share = gate.percentile ? " for " + show_exact(*gate.percentile) + " % of the elements" : "";
  if (gate.kind == GateKind::bitwise) return "bitwise" + share;
  if (!is_inexact(a) || !is_inexact(b)) return "exact";
  const Limits limit = limits(gate, a, b);
  if (gate.kind == GateKind::rel) return "rel " + show_exact(limit.rel);
  return "allclose rtol " + show_exact(limit.rtol) + " atol " + show_exact(limit.atol) + share;
}

std::string describe(const Gate& gate) {
  std::string given;
  const auto add = [&given](const char* word, const std::optional<double>& value) {
    if (value) given += (given.empty() ? "" : ", ") + std::string(word) + " " + show_exact(*value);
  };
  if (gate.kind == GateKind::allclose) {
    add("rtol", gate.rtol);
    add("atol", gate.atol);
  }
  if (gate.kind == GateKind::rel) add("rel", gate.rel);
  if (gate.percentile) given += (given.empty() ? "" : ", ") + show_exact(*gate.percentile) + " % of the elements";
  return std::string(kind_name(gate.kind)) + (given.empty() ? "" : " (" + given + ")");
}

GateKind parse_gate_kind(std::string_view text) {
  for (const GateKind kind : {GateKind::bitwise, GateKind::allclose, GateKind::rel}) {
    if (text == kind_name(kind)) return kind;
  }
  throw Error(ErrorCode::usage, "unknown gate '" + std::string(text) + "'; use bitwise, allclose or rel");
}

NanPolicy parse_nan_policy(std::string_view text) {
  if (text == "same") return NanPolicy::same;
  if (text == "differ") return NanPolicy::differ;
  throw Error(ErrorCode::usage, "unknown NaN policy '" + std::string(text) + "'; use same or differ");
}

}  // namespace goldentrace
