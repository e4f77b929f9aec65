// Writes small traces with fixed content for the command-line tests, without LibTorch: write_trace KIND FILE.
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "kernels/fingerprint.h"
#include "traces/error.h"
#include "traces/trace_writer.h"

namespace {

using namespace goldentrace;

// A two-layer run of one step, record by record.
class Sample {
 public:
  explicit Sample(const std::string& path) : writer_(path) {}

  std::int64_t add(Record record, const std::vector<float>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    record.fingerprint = fingerprint(bytes, record.dtype);
    return writer_.add(record, bytes);
  }

  std::int64_t add(const std::string& layer, Role role, const std::string& index, Shape shape,
                   const std::vector<float>& values, std::vector<std::int64_t> producers = {}) {
    Record record;
    record.id = {.layer = layer, .role = role, .index = index};
    record.shape = std::move(shape);
    record.producers = std::move(producers);
    record.external = record.producers.empty() && role == Role::input;
    return add(record, values);
  }

  TraceWriter& writer() { return writer_; }

 private:
  TraceWriter writer_;
};

Tape relu_tape() {
  Tape tape;
  tape.layer = "layers.1";
  tape.values.push_back({.source = ValueSource::external,
                         .role = Role::input,
                         .index = "0",
                         .storage = 0,
                         .dtype = DType::float32,
                         .shape = {2, 2},
                         .strides = {2, 1}});
  tape.values.push_back({.source = ValueSource::op});
  TapeOp op;
  op.name = "aten::relu";
  op.arguments.push_back({.kind = ArgumentKind::tensor, .value = 0});
  op.results.push_back({.kind = ArgumentKind::tensor, .value = 1});
  op.label = "layers.1";
  tape.ops.push_back(op);
  tape.outputs.push_back({.value = 1, .position = 0});
  return tape;
}

void add_calls(TraceWriter& writer) {
  LayerCall linear{.layer = "layers.0", .replayable = Replayable::bit_equal};
  linear.tape = writer.add_tape(Tape{.layer = "layers.0"});
  writer.add_call(linear);
  LayerCall relu{.layer = "layers.1", .replayable = Replayable::unsupported, .note = "aten::relu: only a sample"};
  relu.tape = writer.add_tape(relu_tape());
  writer.add_call(relu);
}

void add_loss(Sample& sample, std::int64_t micro, Pass pass, float value, std::vector<std::int64_t> producers) {
  Record record;
  record.id = {.micro = micro, .pass = pass, .layer = std::string(loss_layer), .role = Role::loss};
  record.producers = std::move(producers);
  sample.add(record, {value});
}

// `factor` scales what layers.1 returns: 1 is the golden.
void write_run(const std::string& path, float factor) {
  Sample sample(path);
  sample.writer().header() = {{"model.name", "sample"}, {"run.seed", "42"}};
  const auto x = sample.add("layers.0", Role::input, "0", {2, 2}, {1, 2, 3, 4});
  const auto w = sample.add("layers.0", Role::param, "weight", {2, 2}, {0.5F, -1, 0.25F, 0.1F});
  const auto y = sample.add("layers.0", Role::output, "0", {2, 2}, {1, -2, 3, -4}, {x, w});
  const auto z = sample.add("layers.1", Role::input, "0", {2, 2}, {1, -2, 3, -4}, {y});
  const auto r = sample.add("layers.1", Role::output, "0", {2, 2}, {1 * factor, 0, 3 * factor, 0}, {z});
  add_calls(sample.writer());
  add_loss(sample, 0, Pass::forward, 1.5F * factor, {r});
  add_loss(sample, no_micro, Pass::update, 1.5F * factor, {r});
  sample.writer().close();
}

// A layer with one output and no inputs, as a recorder that sees positional arguments only would leave it.
void write_without_inputs(const std::string& path) {
  Sample sample(path);
  sample.add("attention", Role::output, "0", {3}, {1, -2, 3});
  sample.writer().close();
}

// Values that text and JSON must not lose.
void write_special(const std::string& path) {
  Sample sample(path);
  const float infinity = std::numeric_limits<float>::infinity();
  sample.add("floats", Role::output, "0", {6}, {0.1F, -0.0F, 1e-45F, infinity, -infinity, std::nanf("")});
  Record record;
  record.id = {.layer = "integers"};
  record.dtype = DType::int64;
  record.shape = {2};
  const std::vector<std::int64_t> integers{std::numeric_limits<std::int64_t>::min(), 9007199254740993};
  record.fingerprint = fingerprint(std::as_bytes(std::span(integers)), record.dtype);
  sample.writer().add(record, std::as_bytes(std::span(integers)));
  record.id.layer = "halves";
  record.dtype = DType::bfloat16;
  const std::vector<std::uint16_t> halves{0x3dcd, 0xc000};
  record.fingerprint = fingerprint(std::as_bytes(std::span(halves)), record.dtype);
  sample.writer().add(record, std::as_bytes(std::span(halves)));
  record.id.layer = "only_fingerprint";
  sample.writer().add(record, {});
  sample.writer().close();
}

// Names that would write over a terminal.
void write_controls(const std::string& path) {
  const std::string label = "lay\x1b[31mer\n0";
  Sample sample(path);
  sample.writer().header() = {{"model.name", "red \x1b[31m\a"}};
  sample.add(label, Role::output, "0", {2}, {1, 2});
  Tape tape = relu_tape();
  tape.layer = label;
  tape.ops[0].label = "inner\x1b]0;title\a";
  LayerCall call{.layer = label, .replayable = Replayable::unsupported, .note = "a note\r\x1b[2K"};
  call.tape = sample.writer().add_tape(tape);
  sample.writer().add_call(call);
  sample.writer().close();
}

// One record each, committed; the process ends without closing, as one that is killed.
void leave_journal(const std::string& path) {
  Sample sample(path);
  sample.add("layers.0", Role::output, "0", {2}, {1, 2});
  sample.writer().commit();
  _exit(0);
}

// A segment for each of three steps.
void write_segments(const std::string& path) {
  TraceWriter writer(path, {.segment_bytes = 1});
  for (std::int64_t step = 0; step < 3; ++step) {
    Record record;
    record.id = {.step = step, .layer = "layers.0"};
    record.shape = {2};
    const std::vector<float> values{1, 2};
    record.fingerprint = fingerprint(std::as_bytes(std::span(values)), record.dtype);
    writer.add(record, std::as_bytes(std::span(values)));
    if (step < 2) writer.commit();
  }
  writer.close();
}

int write(const std::string& kind, const std::string& path) {
  if (kind == "golden")
    write_run(path, 1);
  else if (kind == "scaled")
    write_run(path, 1.5F);
  else if (kind == "no-inputs")
    write_without_inputs(path);
  else if (kind == "special")
    write_special(path);
  else if (kind == "journal")
    leave_journal(path);
  else if (kind == "segments")
    write_segments(path);
  else if (kind == "controls")
    write_controls(path);
  else
    return 2;
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  return argc == 3 ? write(argv[1], argv[2]) : 2;
} catch (const goldentrace::Error& error) {
  std::cerr << "write_trace: " << error.what() << '\n';
  return 2;
}
