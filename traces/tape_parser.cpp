#include "traces/error.h"
#include "traces/tape.h"
#include "traces/tape_line.h"
#include "traces/tape_words.h"

namespace goldentrace {
namespace {

Argument take_argument(TapeLine& line, int depth);

std::vector<Argument> take_arguments(TapeLine& line, std::string_view close, int depth) {
  std::vector<Argument> items;
  if (line.skip(close)) return items;
  do items.push_back(take_argument(line, depth));
  while (line.skip(","));
  line.expect(close);
  return items;
}

Argument take_list(TapeLine& line, int depth) {
  if (depth >= tape_words::deepest_list) line.refuse("lists are nested too deeply");
  Argument argument{.kind = ArgumentKind::list};
  argument.text = line.take_quoted();
  line.expect(")");
  line.expect("[");
  argument.items = take_arguments(line, "]", depth + 1);
  return argument;
}

Argument take_number(TapeLine& line, int depth) {
  if (depth >= tape_words::deepest_list) line.refuse("numbers are nested too deeply");
  Argument argument{.kind = ArgumentKind::number};
  argument.dtype = line.take_dtype();
  line.expect(",");
  argument.items = take_arguments(line, ")", depth + 1);
  if (argument.items.size() != 1) line.refuse("a number holds one scalar");
  return argument;
}

Argument take_complex(TapeLine& line) {
  Argument argument{.kind = ArgumentKind::complex};
  argument.real = line.take_real();
  line.expect(",");
  argument.imaginary = line.take_real();
  line.expect(")");
  return argument;
}

Argument take_text(TapeLine& line, ArgumentKind kind) {
  Argument argument{.kind = kind};
  argument.text = line.take_quoted();
  if (kind != ArgumentKind::string) line.expect(")");
  return argument;
}

Argument take_dtype(TapeLine& line) {
  Argument argument{.kind = ArgumentKind::dtype};
  argument.dtype = line.take_dtype();
  line.expect(")");
  return argument;
}

Argument take_argument(TapeLine& line, int depth) {
  if (line.next_is("\"")) return take_text(line, ArgumentKind::string);
  if (line.skip("%")) return {.kind = ArgumentKind::tensor, .value = line.take_small()};
  if (line.skip("list(")) return take_list(line, depth);
  if (line.skip("number(")) return take_number(line, depth);
  if (line.skip("complex(")) return take_complex(line);
  if (line.skip("device(")) return take_text(line, ArgumentKind::device);
  if (line.skip("generator(")) return take_text(line, ArgumentKind::generator);
  if (line.skip("dtype(")) return take_dtype(line);
  if (line.next_is_real()) return {.kind = ArgumentKind::real, .real = line.take_real()};
  if (line.skip(tape_words::none)) return {};
  if (line.next_is(tape_words::yes) || line.next_is(tape_words::no)) {
    return {.kind = ArgumentKind::boolean, .boolean = line.take_boolean()};
  }
  return {.kind = ArgumentKind::integer, .integer = line.take_integer()};
}

Role take_role(TapeLine& line) {
  const std::string_view word = line.take_word();
  try {
    return parse_role(word);
  } catch (const Error&) {
    line.refuse("unknown role '" + std::string(word) + "'");
  }
}

ValueSource take_source(TapeLine& line) {
  const std::string_view word = line.take_word();
  for (std::size_t i = 0; i < tape_words::sources.size(); ++i) {
    if (tape_words::sources[i] == word) return static_cast<ValueSource>(i);
  }
  line.refuse("unknown source '" + std::string(word) + "'");
}

void take_member(TapeLine& line, TapeValue& value) {
  const std::string member(line.take_word());
  line.expect("=");
  if (member == "role")
    value.role = take_role(line);
  else if (member == "position")
    value.position = line.take_small();
  else if (member == "index")
    value.index = line.take_quoted();
  else if (member == "storage")
    value.storage = line.take_small();
  else if (member == "dtype")
    value.dtype = line.take_dtype();
  else if (member == "shape")
    value.shape = line.take_sizes();
  else if (member == "strides")
    value.strides = line.take_sizes();
  else if (member == "offset")
    value.offset = line.take_integer();
  else if (member == "requires_grad")
    value.requires_grad = line.take_boolean();
  else if (member == "base")
    value.base = line.take_small();
  else
    line.refuse("unknown member '" + member + "'");
}

void take_member(TapeLine& line, TapeOp& op) {
  const std::string member(line.take_word());
  line.expect("=");
  if (member == "grad_mode")
    op.grad_mode = line.take_boolean();
  else if (member == "inference_mode")
    op.inference_mode = line.take_boolean();
  else if (member == "autocast")
    op.autocast = line.take_dtype();
  else if (member == "label")
    op.label = line.take_quoted();
  else
    line.refuse("unknown member '" + member + "'");
}

TapeValue take_value(TapeLine& line, std::size_t number) {
  if (line.take_integer() != static_cast<std::int64_t>(number)) line.refuse("values are not numbered in order");
  TapeValue value;
  value.source = take_source(line);
  while (!line.at_end()) take_member(line, value);
  return value;
}

TapeOp take_op(TapeLine& line) {
  TapeOp op;
  op.name = line.take_quoted();
  op.overload = line.take_quoted();
  line.expect("(");
  op.arguments = take_arguments(line, ")", 0);
  line.expect("->");
  line.expect("(");
  op.results = take_arguments(line, ")", 0);
  while (!line.at_end()) take_member(line, op);
  return op;
}

TapeOutput take_output(TapeLine& line) {
  TapeOutput output;
  output.value = line.take_small();
  line.expect("position=");
  output.position = line.take_small();
  return output;
}

void take_line(TapeLine& line, Tape& tape) {
  const std::string_view kind = line.take_word();
  if (kind == "value")
    tape.values.push_back(take_value(line, tape.values.size()));
  else if (kind == "op")
    tape.ops.push_back(take_op(line));
  else if (kind == "output")
    tape.outputs.push_back(take_output(line));
  else if (kind == "layer")
    tape.layer = line.take_quoted();
  else if (kind == "unsupported")
    tape.unsupported = line.take_quoted();
  else
    line.refuse("unknown line '" + std::string(kind) + "'");
  if (!line.at_end()) line.refuse("text after the end of the line's content");
}

void check_index(const Tape& tape, ValueIndex value, const std::string& where) {
  if (value < -1 || value >= static_cast<std::int64_t>(tape.values.size())) {
    throw Error(ErrorCode::damaged, "tape: " + where + " names value " + std::to_string(value) + " of " +
                                        std::to_string(tape.values.size()));
  }
}

void check_arguments(const Tape& tape, const std::vector<Argument>& arguments, const std::string& where) {
  for (const Argument& argument : arguments) {
    if (argument.kind == ArgumentKind::tensor) check_index(tape, argument.value, where);
    check_arguments(tape, argument.items, where);
  }
}

// After this no index of the tape leads outside it.
void check_indices(const Tape& tape) {
  for (std::size_t i = 0; i < tape.values.size(); ++i)
    check_index(tape, tape.values[i].base, "value " + std::to_string(i));
  for (std::size_t i = 0; i < tape.ops.size(); ++i) {
    check_arguments(tape, tape.ops[i].arguments, "op " + std::to_string(i));
    check_arguments(tape, tape.ops[i].results, "op " + std::to_string(i));
  }
  for (const TapeOutput& output : tape.outputs) check_index(tape, output.value, "an output");
}

}  // namespace

Tape parse_tape(std::string_view text) {
  Tape tape;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    TapeLine line(text.substr(0, end), ++number);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (number == 1)
      line.expect(tape_words::title);
    else
      take_line(line, tape);
  }
  if (number == 0) throw Error(ErrorCode::damaged, "tape line 1: the text is empty");
  check_indices(tape);
  return tape;
}

}  // namespace goldentrace
