// A trace made up in memory, to be compared directly or written through the trace writer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "diff/trace_view.h"
#include "kernels/fingerprint.h"
#include "traces/trace_writer.h"

namespace goldentrace::testing {

template <typename Element>
std::vector<std::byte> bytes_of(const std::vector<Element>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(Element));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

struct Tensor {
  DType dtype = DType::float32;
  Shape shape;
  std::vector<std::byte> bytes;
};

inline Tensor floats(const std::vector<float>& values, Shape shape = {}) {
  if (shape.empty()) shape = {static_cast<std::int64_t>(values.size())};
  return {DType::float32, shape, bytes_of(values)};
}
inline Tensor doubles(const std::vector<double>& values) {
  return {DType::float64, {static_cast<std::int64_t>(values.size())}, bytes_of(values)};
}
inline Tensor integers(const std::vector<std::int64_t>& values) {
  return {DType::int64, {static_cast<std::int64_t>(values.size())}, bytes_of(values)};
}
inline Tensor scalar(float value) { return {DType::float32, {}, bytes_of(std::vector<float>{value})}; }

class MemoryTrace {
 public:
  MemoryTrace() = default;
  MemoryTrace(const MemoryTrace&) = delete;
  MemoryTrace& operator=(const MemoryTrace&) = delete;

  std::int64_t add(const RecordId& id, const Tensor& tensor, std::vector<std::int64_t> producers = {},
                   std::int32_t position = 0) {
    Record record;
    record.id = id;
    record.position = position;
    record.dtype = tensor.dtype;
    record.shape = tensor.shape;
    record.producers = std::move(producers);
    record.fingerprint = fingerprint(tensor.bytes, tensor.dtype, {sketch_size});
    records.push_back(record);
    payloads.push_back(tensor.bytes);
    return static_cast<std::int64_t>(records.size()) - 1;
  }

  void replace(std::size_t row, const Tensor& tensor) {
    records[row].dtype = tensor.dtype;
    records[row].shape = tensor.shape;
    records[row].fingerprint = fingerprint(tensor.bytes, tensor.dtype, {sketch_size});
    payloads[row] = tensor.bytes;
  }

  std::int64_t declare(const std::string& name, const Tensor& tensor, std::int64_t step = 0) {
    RecordId id;
    id.step = step;
    id.layer = root_layer;
    id.role = Role::input;
    id.index = name;
    const std::int64_t row = add(id, tensor);
    records.back().declared = records.back().external = true;
    return row;
  }

  std::int64_t call(const std::string& layer, const Tape& tape, std::int64_t parent = -1, Pass pass = Pass::forward) {
    tapes.push_back(tape);
    LayerCall entry;
    entry.layer = layer;
    entry.pass = pass;
    entry.parent = parent;
    entry.tape = static_cast<std::int64_t>(tapes.size()) - 1;
    calls.push_back(entry);
    return static_cast<std::int64_t>(calls.size()) - 1;
  }

  std::int64_t random_state(const std::string& text) {
    blobs.push_back(bytes_of(std::vector<char>(text.begin(), text.end())));
    return static_cast<std::int64_t>(blobs.size()) - 1;
  }

  TraceView view() const {
    TraceView trace;
    trace.path = path;
    trace.header = &header;
    trace.records = records;
    trace.calls = calls;
    trace.has_payload = [this](std::int64_t) { return with_payload; };
    trace.sketch = [this](std::int64_t row) { return records[static_cast<std::size_t>(row)].fingerprint.sketch; };
    trace.read_payload = [this](std::int64_t row, std::vector<std::byte>& bytes) {
      ++payloads_read;
      bytes = payloads[static_cast<std::size_t>(row)];
    };
    trace.tape = [this](std::int64_t tape) { return tapes[static_cast<std::size_t>(tape)]; };
    trace.blob = [this](std::int64_t blob) { return blobs[static_cast<std::size_t>(blob)]; };
    return trace;
  }

  void write(const std::filesystem::path& file) const {
    TraceWriter writer(file);
    writer.header() = header;
    for (std::size_t i = 0; i < records.size(); ++i) {
      writer.add(records[i], with_payload ? std::span<const std::byte>(payloads[i]) : std::span<const std::byte>{});
    }
    std::vector<std::int64_t> tape_numbers;
    for (const Tape& tape : tapes) tape_numbers.push_back(writer.add_tape(tape));
    for (LayerCall entry : calls) {
      if (entry.tape >= 0) entry.tape = tape_numbers[static_cast<std::size_t>(entry.tape)];
      writer.add_call(entry);
    }
    writer.close();
  }

  std::filesystem::path path = "memory.h5";
  Header header;
  std::vector<Record> records;
  std::vector<LayerCall> calls;
  std::vector<std::vector<std::byte>> payloads;
  std::vector<Tape> tapes;
  std::vector<std::vector<std::byte>> blobs;
  std::size_t sketch_size = default_sketch_size;
  bool with_payload = true;
  mutable int payloads_read = 0;
};

inline RecordId id_of(const std::string& layer, Role role, const std::string& index = "0", Pass pass = Pass::forward) {
  RecordId id;
  id.layer = layer;
  id.role = role;
  id.index = index;
  id.pass = pass;
  return id;
}

// An op with no tensors but its operands; `results` and tensor operands are value numbers.
inline TapeOp op(const std::string& name, std::vector<Argument> arguments, ValueIndex result) {
  TapeOp each;
  each.name = name;
  each.arguments = std::move(arguments);
  Argument value;
  value.kind = ArgumentKind::tensor;
  value.value = result;
  each.results = {value};
  return each;
}

inline Argument tensor_argument(ValueIndex value) {
  Argument argument;
  argument.kind = ArgumentKind::tensor;
  argument.value = value;
  return argument;
}
inline Argument real_argument(double value) {
  Argument argument;
  argument.kind = ArgumentKind::real;
  argument.real = value;
  return argument;
}
inline Argument text_argument(const std::string& text) {
  Argument argument;
  argument.kind = ArgumentKind::string;
  argument.text = text;
  return argument;
}
inline Argument integer_argument(std::int64_t value) {
  Argument argument;
  argument.kind = ArgumentKind::integer;
  argument.integer = value;
  return argument;
}
inline Argument boolean_argument(bool value) {
  Argument argument;
  argument.kind = ArgumentKind::boolean;
  argument.boolean = value;
  return argument;
}

// Value 0 is input 0; ops follow, each making the next value; the last one is output 0.
inline Tape tape_of(const std::string& layer, std::vector<TapeOp> ops) {
  Tape tape;
  tape.layer = layer;
  TapeValue input;
  input.source = ValueSource::external;
  tape.values.push_back(input);
  for (TapeOp& each : ops) {
    if (each.label.empty()) each.label = layer;
    tape.values.emplace_back();
  }
  tape.outputs.push_back({static_cast<ValueIndex>(ops.size()), 0});
  tape.ops = std::move(ops);
  return tape;
}

}  // namespace goldentrace::testing
