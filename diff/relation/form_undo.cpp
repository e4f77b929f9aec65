// Takes logical content apart into what its sources must have been.
#include <algorithm>
#include <cmath>
#include <utility>

#include "diff/relation/element_math.h"
#include "diff/relation/form_plan.h"

namespace goldentrace {

namespace {

bool is_exact_factor(double k) {
  int exponent = 0;
  return k != 0 && std::abs(std::frexp(k, &exponent)) == 0.5;
}

std::size_t run_of(const Shape& shape, std::size_t axis, std::size_t item) {
  for (; axis < shape.size(); ++axis) item *= static_cast<std::size_t>(shape[axis]);
  return item;
}

}  // namespace

bool FormPlan::can_be_undone() const {
  return std::ranges::all_of(steps_, [](const Step& step) {
    const auto keeps_all = [](const IndexMap& map) { return map.keeps_all(); };
    const auto* gather = std::get_if<Gather>(&step);
    const auto* scale = std::get_if<Scale>(&step);
    const auto* weigh = std::get_if<Weigh>(&step);
    if (weigh) return std::ranges::all_of(weigh->weights, is_exact_factor);
    return (gather && std::ranges::all_of(gather->maps, keeps_all)) || (scale && is_exact_factor(scale->k)) ||
           std::holds_alternative<Concat>(step) || std::holds_alternative<First>(step);
  });
}

// The pieces that were joined to make `whole`.
std::vector<FormPlan::Bytes> FormPlan::taken_apart(const Bytes& whole, std::size_t stage, const Part& part) const {
  const auto* concat = std::get_if<Concat>(&steps_[stage - 1]);
  if (!concat) return std::vector<Bytes>(part.parts.size(), whole);
  const std::size_t item = item_size(dtype_);
  const std::size_t line = run_of(part.shape, concat->axis, item);
  std::vector<Bytes> pieces;
  std::size_t offset = 0;
  for (const std::size_t each : part.parts) {
    const Shape& shape = stages_[stage - 1][each].shape;
    const std::size_t run = run_of(shape, concat->axis, item);
    Bytes& piece = pieces.emplace_back(static_cast<std::size_t>(element_count(shape)) * item);
    for (std::size_t to = 0, from = offset; to < piece.size(); to += run, from += line) {
      std::copy_n(whole.begin() + static_cast<std::ptrdiff_t>(from), run,
                  piece.begin() + static_cast<std::ptrdiff_t>(to));
    }
    offset += run;
  }
  return pieces;
}

FormPlan::Bytes FormPlan::before(const Bytes& after, std::size_t stage, std::size_t at) const {
  Bytes bytes = after;
  const Step& step = steps_[stage - 1];
  if (const auto* scale = std::get_if<Scale>(&step)) scale_elements(bytes, dtype_, 1 / scale->k);
  if (const auto* weigh = std::get_if<Weigh>(&step)) scale_elements(bytes, dtype_, 1 / weigh->weights[at]);
  if (const auto* gather = std::get_if<Gather>(&step)) {
    bytes.resize(after.size());
    gather->maps[at].scatter(after, item_size(dtype_), bytes);
  }
  return bytes;
}

std::optional<std::vector<FormPlan::Bytes>> FormPlan::undo(const Bytes& logical) const {
  if (!can_be_undone()) return std::nullopt;
  std::vector<Bytes> tensors{logical};
  for (std::size_t stage = steps_.size(); stage > 0; --stage) {
    std::vector<Bytes> next(stages_[stage - 1].size());
    for (std::size_t at = 0; at < tensors.size(); ++at) {
      const Part& part = stages_[stage][at];
      std::vector<Bytes> pieces = taken_apart(before(tensors[at], stage, at), stage, part);
      for (std::size_t i = 0; i < part.parts.size(); ++i) next[part.parts[i]] = std::move(pieces[i]);
    }
    tensors = std::move(next);
  }
  return tensors;
}

std::optional<std::int64_t> FormPlan::source_at(std::int64_t element) const {
  std::size_t at = 0;
  for (std::size_t stage = steps_.size(); stage > 0; --stage) {
    const Step& step = steps_[stage - 1];
    const Part& part = stages_[stage][at];
    if (std::holds_alternative<Sum>(step)) return std::nullopt;
    if (const auto* gather = std::get_if<Gather>(&step)) element = gather->maps[at].source_of(element);
    std::size_t piece = 0;
    if (const auto* concat = std::get_if<Concat>(&step)) {
      const auto inner = static_cast<std::int64_t>(run_of(part.shape, concat->axis + 1, 1));
      const std::int64_t whole = part.shape[concat->axis] * inner;
      const std::int64_t line = element / whole;
      std::int64_t place = element % whole;
      const auto size = [&] { return stages_[stage - 1][part.parts[piece]].shape[concat->axis] * inner; };
      for (; piece + 1 < part.parts.size() && place >= size(); ++piece) place -= size();
      element = line * size() + place;
    }
    at = part.parts[piece];
  }
  return sources_[stages_.front()[at].parts.front()].row;
}

}  // namespace goldentrace
