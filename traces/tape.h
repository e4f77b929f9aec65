// The op list of a layer as data: enough to run it again with LibTorch, and to compare it as text without LibTorch.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "traces/dtype.h"
#include "traces/record.h"

namespace goldentrace {

// Index into Tape::values.
using ValueIndex = std::int32_t;

enum class ArgumentKind : std::uint8_t {
  none,
  boolean,
  integer,
  real,
  complex,
  string,
  device,     // text "cpu", "cuda:0"
  dtype,      // not used by boxed calls of today (dtypes arrive as integers); kept for readers
  generator,  // text: hexadecimal state at first sight; empty: the default generator
  number,     // a wrapped number: a 0-dim tensor made from a Python or C++ scalar; item holds the scalar
  tensor,
  list,
};

struct Argument {
  ArgumentKind kind = ArgumentKind::none;
  bool boolean = false;
  std::int64_t integer = 0;
  double real = 0;
  double imaginary = 0;         // complex only
  std::string text;             // string, device, generator; element type of a list, as c10's elementType()->str()
  DType dtype = DType::none;    // number: the dtype of the 0-dim tensor
  ValueIndex value = -1;        // tensor
  std::vector<Argument> items;  // list; number: the one scalar

  bool operator==(const Argument&) const = default;
};

enum class ValueSource : std::uint8_t {
  external,  // read by the layer, made outside: has a record (role, position) of the layer's call
  op,        // made by an op of this tape
  alias,     // a new TensorImpl on a storage that the tape made, seen without an op (`.data`): an as_strided of base
};

struct TapeValue {
  ValueSource source = ValueSource::op;

  // external: the record that holds the content.
  Role role = Role::input;  // input, param or buffer
  std::int32_t position = 0;
  std::string index;  // the record's index, for reading

  // external and alias. Externals with the same storage number share memory.
  std::int32_t storage = -1;
  DType dtype = DType::float32;
  Shape shape;
  Shape strides;
  std::int64_t offset = 0;
  bool requires_grad = false;

  ValueIndex base = -1;  // alias: a value on the same storage

  bool operator==(const TapeValue&) const = default;
};

struct TapeOp {
  std::string name;      // "aten::layer_norm"
  std::string overload;  // "", "Tensor"
  std::vector<Argument> arguments;
  std::vector<Argument> results;  // tensor, list of tensor, or a plain value that was observed (item())
  bool grad_mode = true;
  bool inference_mode = false;
  // Autocast in force for the CPU; none: off.
  DType autocast = DType::none;
  std::string label;  // innermost label around the op; the tape's own layer for its own ops

  bool operator==(const TapeOp&) const = default;
};

// An output of the layer: a value that left the label.
struct TapeOutput {
  ValueIndex value = -1;
  std::int32_t position = 0;  // of the `output` record

  bool operator==(const TapeOutput&) const = default;
};

struct Tape {
  std::string layer;
  std::vector<TapeValue> values;
  std::vector<TapeOp> ops;
  std::vector<TapeOutput> outputs;
  std::string unsupported;  // why the tape cannot be replayed, with op and argument; empty: it can

  bool operator==(const Tape&) const = default;
};

// Lossless text, one line per value, op and output; doubles are written exactly (%a). The grammar is in docs/FORMAT.md.
std::string to_text(const Tape& tape);
Tape parse_tape(std::string_view text);  // Error(damaged) with the line number

// One op for people: "%5 = aten::layer_norm(%0, [768], weight, bias, 1e-05, True)".
std::string describe(const Tape& tape, const TapeOp& op);

}  // namespace goldentrace
