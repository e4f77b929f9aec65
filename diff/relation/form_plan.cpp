#include "diff/relation/form_plan.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "diff/number.h"
#include "diff/relation/element_math.h"
#include "traces/error.h"

namespace goldentrace {

namespace {

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::usage, what); }

}  // namespace

class FormPlan::Builder {
 public:
  Builder(FormPlan& plan, const Form& form, const FormContext& context)
      : plan_(plan), form_(form), context_(context), dtype_(plan.sources_.front().dtype) {}

  void build() {
    start();
    for (const FormStep& step : form_.steps()) {
      scope_ = step.scope;
      add(step);
    }
    if (parts().size() != 1) {
      refuse(counted(static_cast<std::int64_t>(parts().size()), "record") + " of it are left; the form must combine " +
             "them, as with sum(micro) or concat(0, rank)");
    }
    plan_.dtype_ = dtype_;
    plan_.shape_ = parts().front().shape;
  }

 private:
  std::vector<Part>& parts() { return plan_.stages_.back(); }

  void start() {
    std::vector<Part> first;
    for (std::size_t i = 0; i < plan_.sources_.size(); ++i) {
      const FormSource& source = plan_.sources_[i];
      if (source.dtype != dtype_) refuse("its records have different dtypes");
      first.push_back({{i}, source.shard, source.shape});
    }
    plan_.stages_.push_back(std::move(first));
  }

  void add(const FormStep& step) {
    switch (step.word) {
      case FormWord::identity:
        return;
      case FormWord::cast:
        return cast(step);
      case FormWord::scale:
        return scale(step);
      case FormWord::plus:
        return plus(step);
      case FormWord::common:
        return common(step);
      default:
        return step.combines() ? combine(step) : index(step);
    }
  }

  double number(const std::string& text) const {
    const auto value_of = [this](std::string_view name) {
      return context_.value_of ? context_.value_of(scope_, name) : std::nullopt;
    };
    return evaluate(text, value_of);
  }

  std::int64_t integer(const std::string& text) const {
    const double value = number(text);
    if (value != std::round(value) || std::abs(value) > 9e15)
      refuse("'" + text + "' is " + show(value, 9) + ", no whole number");
    return static_cast<std::int64_t>(value);
  }

  std::vector<std::int64_t> integers(const FormStep& step, std::size_t from = 0) const {
    std::vector<std::int64_t> values;
    for (std::size_t i = from; i < step.arguments.size(); ++i) values.push_back(integer(step.arguments[i]));
    return values;
  }

  void say(const std::string& text) { plan_.text_ += (plan_.text_.empty() ? "" : " | ") + text; }
  void say(const FormStep& step, std::span<const std::int64_t> numbers) {
    std::string text = step.text.substr(0, step.text.find('('));
    for (std::size_t i = 0; i < numbers.size(); ++i) text += (i == 0 ? "(" : ", ") + std::to_string(numbers[i]);
    say(numbers.empty() ? text : text + ")");
  }

  // A new step on the same tensors.
  void push(Step step) {
    std::vector<Part> next = parts();
    for (std::size_t i = 0; i < next.size(); ++i) next[i].parts = {i};
    plan_.steps_.push_back(std::move(step));
    plan_.stages_.push_back(std::move(next));
  }

  Gather& new_gather() {
    Gather gather;
    for (const Part& part : parts()) gather.maps.emplace_back(part.shape);
    push(std::move(gather));
    return std::get<Gather>(plan_.steps_.back());
  }

  Gather& gather() {
    auto* last = plan_.steps_.empty() ? nullptr : std::get_if<Gather>(&plan_.steps_.back());
    return last ? *last : new_gather();
  }

  void take_shapes(const Gather& gather) {
    for (std::size_t i = 0; i < parts().size(); ++i) parts()[i].shape = gather.maps[i].shape();
  }

  void index(const FormStep& step) {
    const std::vector<std::int64_t> numbers = integers(step);
    if (step.word == FormWord::slice) {
      slice(numbers);
    } else {
      Gather& target = gather();
      for (IndexMap& map : target.maps) change(map, step, numbers);
      take_shapes(target);
    }
    say(step, numbers);
  }

  static void change(IndexMap& map, const FormStep& step, const std::vector<std::int64_t>& numbers) {
    switch (step.word) {
      case FormWord::permute:
        return map.permute(numbers);
      case FormWord::transpose:
        return numbers.empty() ? map.transpose(-2, -1) : map.transpose(numbers[0], numbers[1]);
      case FormWord::split:
        return map.split(numbers[0], {numbers.begin() + 1, numbers.end()});
      default:
        return map.merge(numbers[0], numbers[1]);
    }
  }

  void slice(const std::vector<std::int64_t>& numbers) {
    Gather next = gather();
    const auto cut = [&](IndexMap& map) { return map.slice(numbers[0], numbers[1], numbers[2]); };
    const bool fits = std::ranges::all_of(next.maps, cut);
    Gather& target = fits ? gather() : new_gather();
    if (fits) {
      target = std::move(next);
    } else {
      std::ranges::for_each(target.maps, cut);
    }
    take_shapes(target);
  }

  void common(const FormStep& step) {
    const std::int64_t given = integer(step.arguments[0]);
    for (const Part& part : parts()) {
      const auto axes = static_cast<std::int64_t>(part.shape.size());
      const std::int64_t axis = given < 0 ? given + axes : given;
      if (axis < 0 || axis >= axes)
        refuse("axis " + std::to_string(given) + " is not there: the tensor is " + show_list(part.shape));
      plan_.common_axis_ = axis;
      plan_.whole_axis_ = part.shape[static_cast<std::size_t>(axis)];
    }
    const std::int64_t end = std::min(plan_.whole_axis_, context_.common.value_or(plan_.whole_axis_));
    if (end == plan_.whole_axis_) return;
    slice({plan_.common_axis_, 0, end});
    say(step, std::vector<std::int64_t>{plan_.common_axis_, 0, end});
  }

  void cast(const FormStep& step) {
    const DType target = parse_dtype(step.arguments[0]);
    require_floating(dtype_, "'" + step.text + "'");
    say(step.text);
    if (target == dtype_) return;
    push(Cast{dtype_, target});
    dtype_ = target;
  }

  void scale(const FormStep& step) {
    require_floating(dtype_, "'" + step.text + "'");
    const double k = number(step.arguments[0]);
    if (k == 1) return;
    say("scale(" + show_exact(k) + ")");
    push(Scale{k});
  }

  void plus(const FormStep& step) {
    require_floating(dtype_, "'" + step.text + "'");
    Plus added;
    for (const Part& part : parts()) {
      const FormSource& source = plan_.sources_[first_source(part)];
      const FormSource partner = context_.partner(step, source);
      if (partner.dtype != dtype_)
        refuse("'" + step.text + "' is " + std::string(name(partner.dtype)) + ", not " + std::string(name(dtype_)));
      if (!repeats(partner.shape, part.shape)) {
        refuse("'" + step.text + "' is " + show_list(partner.shape) + ", which does not repeat to " +
               show_list(part.shape));
      }
      added.rows.push_back(partner.row);
      plan_.partners_.push_back(partner.row);
    }
    say(step.text);
    push(std::move(added));
  }

  std::size_t first_source(const Part& part) const {
    const Part* here = &part;
    for (std::size_t stage = plan_.stages_.size() - 1; stage > 0; --stage)
      here = &plan_.stages_[stage - 1][here->parts.front()];
    return here->parts.front();
  }

  static bool repeats(const Shape& small, const Shape& large) {
    return small.size() <= large.size() && element_count(small) > 0 &&
           std::equal(small.rbegin(), small.rend(), large.rbegin());
  }

  void combine(const FormStep& step) {
    std::vector<Part> next = grouped(step.over());
    const bool alone = next.size() == parts().size();
    // One record is itself, but what the word asks of it must be there.
    if (alone && step.word != FormWord::concat) return;
    if (step.word == FormWord::weigh) return weigh(step, next);
    switch (step.word) {
      case FormWord::concat: {
        const std::size_t axis = join(next, step);
        if (alone) return;
        plan_.steps_.emplace_back(Concat{axis});
        break;
      }
      case FormWord::replicated:
        for (Part& part : next) part.shape = same_shape(part, step);
        plan_.steps_.emplace_back(First{});
        break;
      default:
        require_floating(dtype_, "'" + step.text + "'");
        for (Part& part : next) part.shape = same_shape(part, step);
        plan_.steps_.push_back(sum(step, next));
    }
    plan_.stages_.push_back(std::move(next));
    say(step.text);
  }

  Step sum(const FormStep& step, const std::vector<Part>& next) {
    if (step.word != FormWord::weighted_mean) return Sum{{}, step.word == FormWord::mean};
    if (step.arguments[1] == "targets" && !targets_differ(next)) return Sum{{}, true};
    return Sum{weights(step, next), false};
  }

  void weigh(const FormStep& step, const std::vector<Part>& next) {
    require_floating(dtype_, "'" + step.text + "'");
    Weigh weigh{std::vector<double>(parts().size(), 1)};
    if (targets_differ(next)) {
      weigh.weights = weights(step, next);
    } else {
      for (const Part& part : next) {
        for (const std::size_t each : part.parts) weigh.weights[each] = 1 / static_cast<double>(part.parts.size());
      }
    }
    push(std::move(weigh));
    say(step.text);
  }

  // Numbers of targets that are all known and not all the same.
  bool targets_differ(const std::vector<Part>& next) const {
    try {
      return std::ranges::any_of(next, [this](const Part& part) {
        const double first = tokens(part.parts.front());
        return std::ranges::any_of(part.parts, [&](std::size_t each) { return tokens(each) != first; });
      });
    } catch (const Error&) {
      return false;
    }
  }

  double tokens(std::size_t part) const {
    return context_.tokens(plan_.sources_[first_source(plan_.stages_.back()[part])]);
  }

  // The tensors that differ in the dimension only, as one.
  std::vector<Part> grouped(Dimension over) {
    std::map<ShardPlace, Part> groups;
    for (std::size_t i = 0; i < parts().size(); ++i) {
      const Part& part = parts()[i];
      const ShardPlace shard = merged(part.shard, over);
      Part& group = groups.try_emplace(shard, Part{{}, shard, part.shape}).first->second;
      group.parts.push_back(i);
    }
    std::vector<Part> result;
    for (auto& [key, part] : groups) result.push_back(std::move(part));
    return result;
  }

  const Shape& same_shape(const Part& part, const FormStep& step) {
    const Shape& first = parts()[part.parts.front()].shape;
    for (const std::size_t each : part.parts) {
      if (parts()[each].shape == first) continue;
      refuse("'" + step.text + "': its records are " + show_list(first) + " and " + show_list(parts()[each].shape));
    }
    return first;
  }

  std::size_t join(std::vector<Part>& next, const FormStep& step) {
    const std::int64_t given = integer(step.arguments[0]);
    std::size_t axis = 0;
    for (Part& part : next) {
      part.shape = parts()[part.parts.front()].shape;
      const auto axes = static_cast<std::int64_t>(part.shape.size());
      const std::int64_t place = given < 0 ? given + axes : given;
      if (place < 0 || place >= axes)
        refuse("axis " + std::to_string(given) + " is not there: the tensor is " + show_list(part.shape));
      axis = static_cast<std::size_t>(place);
      part.shape[axis] = 0;
      for (const std::size_t each : part.parts) append(part.shape, parts()[each].shape, axis, step);
    }
    return axis;
  }

  static void append(Shape& whole, const Shape& part, std::size_t axis, const FormStep& step) {
    Shape others = part;
    if (part.size() == whole.size()) others[axis] = whole[axis];
    if (others != whole)
      refuse("'" + step.text + "': a record is " + show_list(part) + ", which does not join the others");
    whole[axis] += part[axis];
  }

  std::vector<double> weights(const FormStep& step, const std::vector<Part>& next) {
    std::vector<double> result(parts().size(), 0);
    const bool counted = step.arguments[1] == "tokens" || step.arguments[1] == "targets";
    for (const Part& part : next) {
      if (!counted && step.arguments.size() - 1 != part.parts.size()) {
        refuse("'" + step.text + "' has " + std::to_string(step.arguments.size() - 1) + " weights for " +
               goldentrace::counted(static_cast<std::int64_t>(part.parts.size()), "record"));
      }
      double total = 0;
      for (std::size_t i = 0; i < part.parts.size(); ++i) {
        const std::size_t each = part.parts[i];
        result[each] = counted ? tokens(each) : number(step.arguments[i + 1]);
        total += result[each];
      }
      if (counted && total == 0) refuse("'" + step.text + "': no target token is counted");
      if (!counted && std::abs(total - 1) > 1e-9)
        refuse("the weights of '" + step.text + "' sum to " + show(total, 9) + ", not to 1");
      if (!counted) continue;
      for (const std::size_t each : part.parts) result[each] /= total;
    }
    return result;
  }

  FormPlan& plan_;
  const Form& form_;
  const FormContext& context_;
  DType dtype_;
  std::size_t scope_ = 0;  // of the word at hand
};

FormPlan::FormPlan(const Form& form, std::vector<FormSource> sources, const FormContext& context)
    : sources_(std::move(sources)) {
  Builder(*this, form, context).build();
}

}  // namespace goldentrace
