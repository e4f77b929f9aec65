#include "diff/op_text.h"

#include <algorithm>
#include <array>

#include "diff/number.h"

namespace goldentrace {

namespace {

std::string real_text(double value) {
  std::string text = show_exact(value);
  if (text.find_first_of(".enf") == std::string::npos) text += ".0";
  return text;
}

std::string value_text(const Tape& tape, ValueIndex index) {
  if (index < 0 || static_cast<std::size_t>(index) >= tape.values.size()) return "undefined";
  const TapeValue& value = tape.values[static_cast<std::size_t>(index)];
  if (value.source != ValueSource::external) return "%" + std::to_string(index);
  if (value.role == Role::input) return "input " + std::to_string(value.position);
  return value.index.empty() ? "%" + std::to_string(index) : value.index;
}

std::string joined(const Tape& tape, const std::vector<Argument>& items) {
  std::string text;
  for (const Argument& item : items) text += (text.empty() ? "" : ", ") + argument_text(tape, item);
  return text;
}

bool is_true(const TapeOp& op, std::size_t number) {
  return number < op.arguments.size() && op.arguments[number].kind == ArgumentKind::boolean &&
         op.arguments[number].boolean;
}

bool is_positive(const TapeOp& op, std::size_t number) {
  return number < op.arguments.size() && op.arguments[number].kind == ArgumentKind::real &&
         op.arguments[number].real > 0;
}

}  // namespace

std::string short_name(const TapeOp& op) {
  constexpr std::string_view prefix = "aten::";
  return op.name.starts_with(prefix) ? op.name.substr(prefix.size()) : op.name;
}

std::string argument_text(const Tape& tape, const Argument& argument) {
  switch (argument.kind) {
    case ArgumentKind::none:
      return "None";
    case ArgumentKind::boolean:
      return argument.boolean ? "True" : "False";
    case ArgumentKind::integer:
      return std::to_string(argument.integer);
    case ArgumentKind::real:
      return real_text(argument.real);
    case ArgumentKind::complex:
      return "complex(" + real_text(argument.real) + ", " + real_text(argument.imaginary) + ")";
    case ArgumentKind::string:
    case ArgumentKind::device:
      return "'" + argument.text + "'";
    case ArgumentKind::dtype:
      return std::string(name(argument.dtype));
    case ArgumentKind::generator:
      return argument.text.empty() ? "default generator" : "generator";
    case ArgumentKind::number:
      return joined(tape, argument.items);
    case ArgumentKind::tensor:
      return value_text(tape, argument.value);
    case ArgumentKind::list:
      return "[" + joined(tape, argument.items) + "]";
  }
  return {};
}

std::string call_text(const Tape& tape, const TapeOp& op) {
  return short_name(op) + "(" + joined(tape, op.arguments) + ")";
}

bool draws_random(const TapeOp& op) {
  const std::string name = short_name(op);
  if (name == "native_dropout")
    return op.arguments.size() < 3 || op.arguments[2].kind == ArgumentKind::none || is_true(op, 2);
  if (name.ends_with("dropout") || name.ends_with("dropout_")) return is_positive(op, 1) && is_true(op, 2);
  if (name == "scaled_dot_product_attention") return is_positive(op, 4);
  constexpr std::array<std::string_view, 20> drawing = {
      "rand",         "rand_like", "randn",      "randn_like",  "randint", "randint_like", "randperm",
      "random_",      "bernoulli", "bernoulli_", "normal",      "normal_", "uniform_",     "multinomial",
      "exponential_", "cauchy_",   "geometric_", "log_normal_", "poisson", "binomial"};
  return std::ranges::find(drawing, name) != drawing.end();
}

}  // namespace goldentrace
