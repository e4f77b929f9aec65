// Carries out plans of forms.
#include <algorithm>
#include <cmath>
#include <utility>

#include "diff/relation/element_math.h"
#include "diff/relation/form_plan.h"

namespace goldentrace {

namespace {

template <typename... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};

}  // namespace

bool FormPlan::is_linear() const {
  return std::ranges::all_of(steps_, [](const Step& step) {
    return std::holds_alternative<Scale>(step) || std::holds_alternative<Sum>(step) ||
           std::holds_alternative<First>(step) || std::holds_alternative<Weigh>(step);
  });
}

bool FormPlan::takes_first() const {
  return std::ranges::all_of(steps_, [](const Step& step) { return std::holds_alternative<First>(step); });
}

double FormPlan::factor() const {
  double result = 1;
  for (const Step& step : steps_) {
    if (const auto* scale = std::get_if<Scale>(&step)) result *= scale->k;
  }
  return result;
}

// Makes the tensors of a stage from those before it; only what one result needs is in memory.
class FormPlan::Runner {
 public:
  Runner(const FormPlan& plan, const ReadBytes& read) : plan_(plan), read_(read) {}

  Bytes make(std::size_t stage, std::size_t at) const {
    const Part& part = plan_.stages_[stage][at];
    if (stage == 0) return read_(plan_.sources_[part.parts.front()].row);
    const Step& step = plan_.steps_[stage - 1];
    return std::visit(
        Overloaded{[&](const Gather& gather) { return gathered(stage, at, gather); },
                   [&](const Scale& scale) { return scaled(stage, at, scale); },
                   [&](const Cast& cast) { return cast_elements(make(stage - 1, at), cast.from, cast.to); },
                   [&](const Plus& plus) { return added(stage, at, plus); },
                   [&](const Concat& concat) { return joined(stage, part, concat); },
                   [&](const Sum& sum) { return summed(stage, part, sum); },
                   [&](const Weigh& weigh) { return scaled(stage, at, {weigh.weights[at]}); },
                   [&](const First&) { return make(stage - 1, part.parts.front()); }},
        step);
  }

 private:
  DType dtype_before(std::size_t stage) const {
    DType dtype = plan_.sources_.front().dtype;
    for (std::size_t i = 0; i + 1 < stage; ++i) {
      if (const auto* cast = std::get_if<Cast>(&plan_.steps_[i])) dtype = cast->to;
    }
    return dtype;
  }

  Bytes gathered(std::size_t stage, std::size_t at, const Gather& gather) const {
    const std::size_t item = item_size(dtype_before(stage));
    const Bytes source = make(stage - 1, at);
    Bytes result(static_cast<std::size_t>(element_count(plan_.stages_[stage][at].shape)) * item);
    gather.maps[at].gather(source, item, result);
    return result;
  }

  Bytes scaled(std::size_t stage, std::size_t at, const Scale& scale) const {
    Bytes bytes = make(stage - 1, at);
    scale_elements(bytes, dtype_before(stage), scale.k);
    return bytes;
  }

  Bytes added(std::size_t stage, std::size_t at, const Plus& plus) const {
    Bytes bytes = make(stage - 1, at);
    add_elements(bytes, read_(plus.rows[at]), dtype_before(stage));
    return bytes;
  }

  Bytes summed(std::size_t stage, const Part& part, const Sum& sum) const {
    const DType dtype = dtype_before(stage);
    Bytes total;
    for (const std::size_t each : part.parts) {
      Bytes next = make(stage - 1, each);
      if (!sum.weights.empty()) scale_elements(next, dtype, sum.weights[each]);
      if (total.empty()) {
        total = std::move(next);
      } else {
        add_elements(total, next, dtype);
      }
    }
    if (sum.mean) scale_elements(total, dtype, 1 / static_cast<double>(part.parts.size()));
    return total;
  }

  Bytes joined(std::size_t stage, const Part& part, const Concat& concat) const {
    const std::size_t item = item_size(dtype_before(stage));
    Bytes result(static_cast<std::size_t>(element_count(part.shape)) * item);
    const auto run_of = [&](const Shape& shape) {
      std::size_t run = item;
      for (std::size_t axis = concat.axis; axis < shape.size(); ++axis) run *= static_cast<std::size_t>(shape[axis]);
      return run;
    };
    const std::size_t whole = run_of(part.shape);
    std::size_t offset = 0;
    for (const std::size_t each : part.parts) {
      const Bytes bytes = make(stage - 1, each);
      const std::size_t run = run_of(plan_.stages_[stage - 1][each].shape);
      for (std::size_t from = 0, to = offset; from < bytes.size(); from += run, to += whole) {
        std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(from), run,
                    result.begin() + static_cast<std::ptrdiff_t>(to));
      }
      offset += run;
    }
    return result;
  }

  const FormPlan& plan_;
  const ReadBytes& read_;
};

FormPlan::Bytes FormPlan::apply(const ReadBytes& read) const { return Runner(*this, read).make(steps_.size(), 0); }

Sketch FormPlan::sketch(const ReadSketch& read) const {
  std::vector<Sketch> parts;
  for (const FormSource& source : sources_) parts.push_back(read(source.row));
  const bool fit = std::ranges::all_of(
      parts, [&](const Sketch& each) { return !each.empty() && each.size() == parts.front().size(); });
  if (!fit) return {};
  for (std::size_t stage = 1; stage <= steps_.size(); ++stage) {
    const Step& step = steps_[stage - 1];
    std::vector<Sketch> next;
    for (const Part& part : stages_[stage]) {
      const auto* sum = std::get_if<Sum>(&step);
      const auto* scale = std::get_if<Scale>(&step);
      const auto* weigh = std::get_if<Weigh>(&step);
      Sketch total(parts.front().size(), 0);
      const std::size_t taken = std::holds_alternative<First>(step) ? 1 : part.parts.size();
      for (std::size_t i = 0; i < taken; ++i) {
        const std::size_t each = part.parts[i];
        double k = scale                          ? scale->k
                   : weigh                        ? weigh->weights[each]
                   : sum && !sum->weights.empty() ? sum->weights[each]
                                                  : 1;
        if (sum && sum->mean) k /= static_cast<double>(part.parts.size());
        for (std::size_t bucket = 0; bucket < total.size(); ++bucket) total[bucket] += k * parts[each][bucket];
      }
      next.push_back(std::move(total));
    }
    parts = std::move(next);
  }
  return parts.front();
}

}  // namespace goldentrace
