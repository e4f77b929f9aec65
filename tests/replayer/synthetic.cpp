#include "tests/replayer/synthetic.h"

#include <ATen/ops/randn.h>
#include <torch/csrc/autograd/autograd.h>

#include "kernels/fingerprint.h"
#include "tape/dtypes.h"
#include "tape/external.h"
#include "tests/tape/tape_recorder.h"

namespace goldentrace {
namespace {

class CallWriter {
 public:
  CallWriter(TraceWriter& writer, const std::string& layer, const CallOptions& options)
      : writer_(writer), layer_(layer), options_(options) {}

  void write(const TapedRun& run) {
    add_row(run);
    for (std::size_t i = 0; i < run.externals.size(); ++i) {
      const TapeValue& value = external(run.tape, i);
      add(options_.pass, value.role, value.position, run.externals[i]);
    }
    for (std::size_t i = 0; i < run.outputs.size(); ++i) {
      add(options_.pass, Role::output, static_cast<std::int32_t>(i), run.outputs[i]);
    }
    if (options_.backward) add_gradients(run);
  }

 private:
  static const TapeValue& external(const Tape& tape, std::size_t number) {
    return tape.values[static_cast<std::size_t>(external_values(tape)[number])];
  }

  void add_row(const TapedRun& run) {
    Tape tape = run.tape;
    tape.layer = layer_;
    if (options_.alter_tape) options_.alter_tape(tape);
    LayerCall call;
    call.step = options_.step;
    call.micro = options_.micro;
    call.pass = options_.pass;
    call.layer = layer_;
    call.call = options_.call;
    call.tape = writer_.add_tape(tape);
    call.random = writer_.add_blob(bytes_of(run.random_state));
    writer_.add_call(call);
  }

  void add(Pass pass, Role role, std::int32_t position, at::Tensor value) {
    Record record;
    record.id = {options_.step, options_.micro, 0, pass, layer_, options_.call, role, std::to_string(position)};
    record.position = position;
    if (options_.alter) {
      value = value.detach().clone();
      options_.alter(record.id, value);
    }
    const std::vector<std::byte> bytes = bytes_of(value);
    record.dtype = to_dtype(value.scalar_type());
    record.shape = value.sizes().vec();
    record.fingerprint = fingerprint(bytes, record.dtype);
    if (role == Role::output && previous_ >= 0) record.producers.push_back(previous_);
    const std::span<const std::byte> payload = bytes;
    const bool kept = options_.payload == Payload::all && (!options_.keep_payload || options_.keep_payload(record.id));
    previous_ = writer_.add(record, kept ? payload : std::span<const std::byte>());
  }

  void add_gradients(const TapedRun& run) {
    std::vector<at::Tensor> outputs, totals, wanted;
    std::vector<const TapeValue*> values;
    for (std::size_t i = 0; i < run.outputs.size(); ++i) {
      if (!run.outputs[i].requires_grad()) continue;
      outputs.push_back(run.outputs[i]);
      totals.push_back(at::randn(run.outputs[i].sizes()).to(run.outputs[i].scalar_type()));
      add(Pass::backward, Role::grad_output, static_cast<std::int32_t>(i), totals.back());
    }
    for (std::size_t i = 0; i < run.originals.size(); ++i) {
      if (!run.originals[i].requires_grad()) continue;
      wanted.push_back(run.originals[i]);
      values.push_back(&external(run.tape, i));
    }
    if (outputs.empty() || wanted.empty()) return;
    const auto gradients = torch::autograd::grad(outputs, wanted, totals, std::nullopt, false, true);
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      const Role role = values[i]->role == Role::param ? Role::param_grad : Role::grad_input;
      if (gradients[i].defined()) add(Pass::backward, role, values[i]->position, gradients[i]);
    }
  }

  TraceWriter& writer_;
  const std::string layer_;
  const CallOptions& options_;
  std::int64_t previous_ = -1;
};

}  // namespace

void add_call(TraceWriter& writer, const std::string& layer, const LayerFunction& function, CallOptions options) {
  CallWriter(writer, layer, options).write(tape_of(function));
}

}  // namespace goldentrace
