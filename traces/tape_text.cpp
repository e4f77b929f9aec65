#include <bit>
#include <charconv>
#include <cmath>

#include "traces/tape.h"
#include "traces/tape_words.h"

namespace goldentrace {
namespace {

std::string quoted(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out = "\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (byte < 0x20 || byte == 0x7f) {
      out += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string hexadecimal(std::uint64_t bits) {
  char buffer[20];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, bits, 16).ptr;
  return {buffer, end};
}

std::string real_text(double value) {
  if (std::isnan(value)) return "nan(" + hexadecimal(std::bit_cast<std::uint64_t>(value)) + ')';
  const std::string sign = std::signbit(value) ? "-" : "";
  if (std::isinf(value)) return sign + "inf";
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, std::fabs(value), std::chars_format::hex).ptr;
  return sign + "0x" + std::string(buffer, end);
}

std::string argument_text(const Argument& argument);

std::string joined(const std::vector<Argument>& items) {
  std::string text;
  for (const Argument& item : items) text += (text.empty() ? "" : ", ") + argument_text(item);
  return text;
}

std::string argument_text(const Argument& argument) {
  switch (argument.kind) {
    case ArgumentKind::none:
      return std::string(tape_words::none);
    case ArgumentKind::boolean:
      return std::string(argument.boolean ? tape_words::yes : tape_words::no);
    case ArgumentKind::integer:
      return std::to_string(argument.integer);
    case ArgumentKind::real:
      return real_text(argument.real);
    case ArgumentKind::complex:
      return "complex(" + real_text(argument.real) + ", " + real_text(argument.imaginary) + ')';
    case ArgumentKind::string:
      return quoted(argument.text);
    case ArgumentKind::device:
      return "device(" + quoted(argument.text) + ')';
    case ArgumentKind::dtype:
      return "dtype(" + std::string(name(argument.dtype)) + ')';
    case ArgumentKind::generator:
      return "generator(" + quoted(argument.text) + ')';
    case ArgumentKind::number:
      return "number(" + std::string(name(argument.dtype)) + ", " + joined(argument.items) + ')';
    case ArgumentKind::tensor:
      return '%' + std::to_string(argument.value);
    case ArgumentKind::list:
      return "list(" + quoted(argument.text) + ")[" + joined(argument.items) + ']';
  }
  return {};
}

std::string sizes_text(const Shape& sizes) {
  std::string text;
  for (std::int64_t size : sizes) text += (text.empty() ? "" : ",") + std::to_string(size);
  return '[' + text + ']';
}

// Members equal to those of a new TapeValue are left out.
std::string value_line(std::size_t number, const TapeValue& value) {
  const TapeValue plain;
  std::string line = "value " + std::to_string(number) + ' ' + std::string(tape_words::source(value.source));
  if (value.role != plain.role) line += " role=" + std::string(name(value.role));
  if (value.position != plain.position) line += " position=" + std::to_string(value.position);
  if (value.index != plain.index) line += " index=" + quoted(value.index);
  if (value.storage != plain.storage) line += " storage=" + std::to_string(value.storage);
  if (value.dtype != plain.dtype) line += " dtype=" + std::string(name(value.dtype));
  if (value.shape != plain.shape) line += " shape=" + sizes_text(value.shape);
  if (value.strides != plain.strides) line += " strides=" + sizes_text(value.strides);
  if (value.offset != plain.offset) line += " offset=" + std::to_string(value.offset);
  if (value.requires_grad) line += " requires_grad=true";
  if (value.base != plain.base) line += " base=" + std::to_string(value.base);
  return line + '\n';
}

std::string op_line(const TapeOp& op) {
  std::string line = "op " + quoted(op.name) + ' ' + quoted(op.overload);
  line += " (" + joined(op.arguments) + ") -> (" + joined(op.results) + ')';
  if (!op.grad_mode) line += " grad_mode=false";
  if (op.inference_mode) line += " inference_mode=true";
  if (op.autocast != DType::none) line += " autocast=" + std::string(name(op.autocast));
  if (!op.label.empty()) line += " label=" + quoted(op.label);
  return line + '\n';
}

}  // namespace

std::string to_text(const Tape& tape) {
  std::string text = std::string(tape_words::title) + "\nlayer " + quoted(tape.layer) + '\n';
  if (!tape.unsupported.empty()) text += "unsupported " + quoted(tape.unsupported) + '\n';
  for (std::size_t i = 0; i < tape.values.size(); ++i) text += value_line(i, tape.values[i]);
  for (const TapeOp& op : tape.ops) text += op_line(op);
  for (const TapeOutput& output : tape.outputs) {
    text += "output " + std::to_string(output.value) + " position=" + std::to_string(output.position) + '\n';
  }
  return text;
}

}  // namespace goldentrace
