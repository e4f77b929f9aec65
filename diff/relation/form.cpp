#include "diff/relation/form.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "diff/number.h"
#include "diff/relation/arithmetic.h"
#include "diff/relation/name_pattern.h"
#include "diff/rules_words.h"
#include "traces/dtype.h"
#include "traces/error.h"
#include "traces/record_id.h"

namespace goldentrace {

namespace {

using Arguments = std::vector<std::string>;

struct WordInfo {
  std::string_view name;
  std::size_t least, most;  // arguments
  std::string_view shape;   // for messages
};
constexpr std::size_t many = 64;
constexpr std::array<WordInfo, 17> infos = {{{"identity", 0, 0, "identity"},
                                             {"concat", 2, 2, "concat(axis, micro)"},
                                             {"sum", 1, 1, "sum(micro)"},
                                             {"mean", 1, 1, "mean(micro)"},
                                             {"weighted-mean", 2, many, "weighted-mean(micro, tokens)"},
                                             {"weigh", 2, 2, "weigh(data, targets)"},
                                             {"replicated", 1, 1, "replicated(rank)"},
                                             {"partial-sum", 0, 0, "partial-sum"},
                                             {"slice", 3, 3, "slice(axis, from, to)"},
                                             {"common", 1, 1, "common(axis)"},
                                             {"permute", 1, many, "permute(0, 2, 1)"},
                                             {"transpose", 0, 2, "transpose(0, 1)"},
                                             {"split", 3, many, "split(axis, size, size)"},
                                             {"merge", 2, 2, "merge(axis, count)"},
                                             {"cast", 1, 1, "cast(float32)"},
                                             {"scale", 1, 1, "scale(1 / 8)"},
                                             {"plus", 3, 3, "plus(layer, param, bias)"}}};

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

// At separators outside of parentheses.
Arguments pieces(std::string_view text, char separator) {
  Arguments result;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (text[i] != separator || depth != 0) continue;
    result.emplace_back(trimmed(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  result.emplace_back(trimmed(text.substr(begin)));
  return result;
}

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::usage, what); }

FormWord word_of(const std::string& name) {
  RuleWords known;
  for (std::size_t i = 0; i < infos.size(); ++i) {
    if (infos[i].name == name) return static_cast<FormWord>(i);
    known.emplace_back(infos[i].name);
  }
  refuse(unknown_word("word", name, known));
}

const WordInfo& info(FormWord word) { return infos.at(static_cast<std::size_t>(word)); }

Dimension dimension_of(const std::string& text) {
  if (text == "micro") return Dimension::micro;
  if (text == "rank") return Dimension::rank;
  if (text == "data") return Dimension::data;
  if (text == "tensor") return Dimension::tensor;
  refuse(unknown_word("dimension", text, {"micro", "rank", "data", "tensor"}));
}

std::size_t dimension_place(FormWord word) { return word == FormWord::concat ? 1 : 0; }

bool counts_targets(const FormStep& step) { return step.arguments[1] == "tokens" || step.arguments[1] == "targets"; }

// Arguments that are arithmetic.
Arguments numeric(const FormStep& step) {
  const Arguments& all = step.arguments;
  switch (step.word) {
    case FormWord::concat:
      return {all[0]};
    case FormWord::weighted_mean:
      return counts_targets(step) ? Arguments{} : Arguments(all.begin() + 1, all.end());
    case FormWord::slice:
    case FormWord::common:
    case FormWord::permute:
    case FormWord::transpose:
    case FormWord::split:
    case FormWord::merge:
    case FormWord::scale:
      return all;
    default:
      return {};
  }
}

bool has_dimension(FormWord word) {
  return word == FormWord::concat || word == FormWord::sum || word == FormWord::mean ||
         word == FormWord::weighted_mean || word == FormWord::weigh || word == FormWord::replicated;
}

// Of weights that are numbers alone.
void check_weights(const FormStep& step) {
  if (step.word == FormWord::weigh && step.arguments[1] != "targets")
    refuse("'" + step.text + "': " + unknown_word("weight", step.arguments[1], {"targets"}));
  if (step.word != FormWord::weighted_mean || counts_targets(step)) return;
  double total = 0;
  for (const std::string& each : numeric(step)) {
    if (!names_in(each).empty()) return;
    total += evaluate(each, {});
  }
  if (std::abs(total - 1) > 1e-9) refuse("the weights of '" + step.text + "' sum to " + show(total, 9) + ", not to 1");
}

void check_arguments(const FormStep& step) {
  const WordInfo& known = info(step.word);
  const std::size_t count = step.arguments.size();
  const bool one_axis = step.word == FormWord::transpose && count == 1;
  if (count < known.least || count > known.most || one_axis) {
    refuse("'" + step.text + "' has the wrong number of arguments; write it as " + std::string(known.shape));
  }
  if (has_dimension(step.word)) dimension_of(step.arguments[dimension_place(step.word)]);
  for (const std::string& each : numeric(step)) names_in(each);
  check_weights(step);
  if (step.word == FormWord::cast && dtype_class(parse_dtype(step.arguments[0])) != DTypeClass::floating) {
    refuse("'" + step.text + "': only floating types can be cast to");
  }
  if (step.word == FormWord::plus) {
    parse_role(step.arguments[1]);
    const NamePattern layer(step.arguments[0]);
    const NamePattern index(step.arguments[2]);
  }
}

FormStep parse_step(const std::string& text) {
  FormStep step;
  step.text = text;
  const std::size_t open = text.find('(');
  step.word = word_of(std::string(trimmed(std::string_view(text).substr(0, open))));
  if (open != std::string::npos) {
    if (text.back() != ')') refuse("'" + text + "' does not end with ')'");
    const std::string_view inside = trimmed(std::string_view(text).substr(open + 1, text.size() - open - 2));
    if (!inside.empty()) step.arguments = pieces(inside, ',');
  }
  check_arguments(step);
  return step;
}

}  // namespace

bool FormStep::combines() const { return has_dimension(word) || word == FormWord::partial_sum; }

Dimension FormStep::over() const {
  return word == FormWord::partial_sum ? Dimension::rank : dimension_of(arguments[dimension_place(word)]);
}

Form::Form(std::string_view text) : text_(trimmed(text)) {
  for (const std::string& each : pieces(text_, '|')) {
    FormStep step = parse_step(each);
    if (!steps_.empty() && steps_.back().word == FormWord::common) {
      refuse("'" + steps_.back().text + "' must be the last word of a form");
    }
    if (step.word != FormWord::identity) steps_.push_back(std::move(step));
  }
}

ShardPlace Form::combined(ShardPlace shard) const {
  for (const FormStep& step : steps_) {
    if (step.combines()) shard = merged(shard, step.over());
  }
  return shard;
}

bool Form::combines() const { return std::ranges::any_of(steps_, &FormStep::combines); }

Form Form::without_common() const {
  Form result = *this;
  std::erase_if(result.steps_, [](const FormStep& step) { return step.word == FormWord::common; });
  return result;
}

Form Form::of_copies(Dimension over) const {
  Form result;
  std::set<std::size_t> replaced;
  for (const FormStep& step : steps_) {
    if (step.combines() && step.over() == over) replaced.insert(step.scope);
  }
  const Form copies("replicated(" +
                    std::string(over == Dimension::data     ? "data"
                                : over == Dimension::tensor ? "tensor"
                                : over == Dimension::rank   ? "rank"
                                                            : "micro") +
                    ")");
  for (const FormStep& step : steps_) {
    if (!replaced.contains(step.scope)) {
      result.steps_.push_back(step);
    } else if (step.combines() && step.over() == over) {
      result.join(copies, step.scope);
    }
  }
  result.text_ = text_;
  return result;
}

void Form::join(const Form& next, std::size_t scope) {
  if (next.steps_.empty()) return;
  text_ += (steps_.empty() ? "" : " | ") + next.text_;
  for (FormStep step : next.steps_) {
    step.scope = scope;
    steps_.push_back(std::move(step));
  }
}

std::set<std::string> Form::names() const {
  std::set<std::string> result;
  for (const FormStep& step : steps_) {
    for (const std::string& each : numeric(step)) result.merge(names_in(each));
  }
  return result;
}

}  // namespace goldentrace
