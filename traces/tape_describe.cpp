#include <charconv>
#include <cmath>

#include "traces/tape.h"

namespace goldentrace {
namespace {

// Shortest decimal that reads back as the same double, in Python's spelling.
std::string real_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[40];
  std::string text(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

// Parameters and buffers go by their names, everything else by number.
std::string value_text(const Tape& tape, ValueIndex index) {
  if (index >= 0 && static_cast<std::size_t>(index) < tape.values.size()) {
    const TapeValue& value = tape.values[static_cast<std::size_t>(index)];
    const bool named = value.role == Role::param || value.role == Role::buffer;
    if (value.source == ValueSource::external && named && !value.index.empty()) return value.index;
  }
  return index < 0 ? "undefined" : '%' + std::to_string(index);
}

std::string argument_text(const Tape& tape, const Argument& argument);

std::string joined(const Tape& tape, const std::vector<Argument>& items) {
  std::string text;
  for (const Argument& item : items) text += (text.empty() ? "" : ", ") + argument_text(tape, item);
  return text;
}

std::string generator_text(const Argument& argument) {
  return argument.text.empty() ? "default generator" : "generator";
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
      return "complex(" + real_text(argument.real) + ", " + real_text(argument.imaginary) + ')';
    case ArgumentKind::string:
    case ArgumentKind::device:
      return '\'' + argument.text + '\'';
    case ArgumentKind::dtype:
      return std::string(name(argument.dtype));
    case ArgumentKind::generator:
      return generator_text(argument);
    case ArgumentKind::number:
      return joined(tape, argument.items);
    case ArgumentKind::tensor:
      return value_text(tape, argument.value);
    case ArgumentKind::list:
      return '[' + joined(tape, argument.items) + ']';
  }
  return {};
}

}  // namespace

std::string describe(const Tape& tape, const TapeOp& op) {
  const std::string results = joined(tape, op.results);
  const std::string overload = op.overload.empty() ? "" : '.' + op.overload;
  return (results.empty() ? "" : results + " = ") + op.name + overload + '(' + joined(tape, op.arguments) + ')';
}

}  // namespace goldentrace
