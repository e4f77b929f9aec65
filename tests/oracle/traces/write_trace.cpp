// Writes a trace of every dtype for judges in Python. Content: splitmix64 of the record's row and the byte's number, so
// that the judge can make them again; bool: their lowest bit. Sealed in place, or by copying: recovered from the
// journal of a recorder that died.
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "tests/support/child_process.h"
#include "traces/error.h"
#include "traces/recover.h"
#include "traces/trace_writer.h"

namespace goldentrace {
namespace {

std::uint64_t splitmix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

std::vector<std::byte> content(std::uint64_t seed, std::size_t bytes, DType dtype) {
  std::vector<std::byte> out(bytes);
  for (std::size_t i = 0; i < bytes; ++i) {
    const std::uint64_t random = splitmix((seed << 32) + i);
    out[i] = static_cast<std::byte>(dtype == DType::boolean ? random & 1 : random & 0xff);
  }
  return out;
}

void add(TraceWriter& writer, RecordId id, DType dtype, const Shape& shape) {
  Record record{.id = std::move(id)};
  record.dtype = dtype;
  record.shape = shape;
  const auto bytes = static_cast<std::size_t>(byte_count(shape, dtype));
  const std::vector<std::byte> payload = content(static_cast<std::uint64_t>(writer.record_count()), bytes, dtype);
  record.fingerprint.hash = content_hash(payload);
  record.fingerprint.sketch = {1.5, -2.25, 1e300};
  if (writer.record_count() > 0) record.producers = {writer.record_count() - 1};
  writer.add(record, payload);
}

std::vector<Shape> shapes_of(DType dtype, std::int64_t step) {
  // Packed, packed, no element, one chunk per row.
  std::vector<Shape> shapes{{2, 3}, {}, {0, 4}, {5, 14000}};
  // A cut last axis and a cut middle axis, both with padding.
  if (dtype == DType::bfloat16 && step == 0) shapes.insert(shapes.end(), {{2, 524289}, {1, 3, 215, 1000}});
  return shapes;
}

void add_every_dtype(TraceWriter& writer, std::int64_t step) {
  for (int i = 1; i < dtype_count; ++i) {
    const auto dtype = static_cast<DType>(i);
    RecordId id{.step = step, .micro = no_micro, .layer = "layers." + std::string(name(dtype))};
    for (const Shape& shape : shapes_of(dtype, step)) {
      id.index = std::to_string(shape.size());
      id.role = shape.empty() ? Role::loss : Role::output;
      add(writer, id, dtype, shape);
    }
  }
}

Tape small_tape() {
  Tape tape{.layer = "layers.0"};
  tape.values = {TapeValue{}};
  tape.ops = {TapeOp{.name = "aten::rand", .results = {{.kind = ArgumentKind::tensor, .value = 0}}}};
  return tape;
}

void record(TraceWriter& writer) {
  writer.header() = {{"model.name", "every dtype"}, {"odd=name", "line\nbreak \\ ü"}};
  add_every_dtype(writer, 0);
  add_every_dtype(writer, 1);
  LayerCall call{.step = 1, .micro = 2, .layer = "layers.0", .call = 3};
  call.tape = writer.add_tape(small_tape());
  call.random = writer.add_blob(content(99, 5056, DType::uint8));
  writer.set_replayable(writer.add_call(call), Replayable::bit_equal, "note");
}

void write_in_place(const std::string& path, Codec codec) {
  TraceWriter writer(path, {.codec = codec});
  record(writer);
  writer.close();
}

void write_by_copying(const std::string& path, Codec codec) {
  const auto record_and_die = [&] {
    TraceWriter writer(path, {.codec = codec});
    record(writer);
    writer.commit();
    _exit(0);
    return 0;
  };
  if (testing_support::in_child(record_and_die) != 0) throw Error(ErrorCode::internal, "the recorder failed");
  recover_journal(path + ".journal");
}

}  // namespace
}  // namespace goldentrace

int main(int count, char** arguments) {
  const std::string way = count == 4 ? arguments[3] : "";
  if (way != "in-place" && way != "copied") {
    std::cerr << "usage: write_trace FILE CODEC in-place|copied\n";
    return 2;
  }
  try {
    const goldentrace::Codec codec = goldentrace::parse_codec(arguments[2]);
    way == "copied" ? goldentrace::write_by_copying(arguments[1], codec)
                    : goldentrace::write_in_place(arguments[1], codec);
    return 0;
  } catch (const goldentrace::Error& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
