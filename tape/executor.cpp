#include "tape/executor.h"

#include <string>
#include <utility>

#include "tape/failure.h"
#include "tape/gradient_sinks.h"
#include "tape/modes.h"
#include "tape/op_call.h"
#include "tape/slots.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

std::string place(const Tape& tape, std::size_t number) {
  const TapeOp& op = tape.ops[number];
  std::string text = "op " + std::to_string(number) + " " + op.name;
  if (!op.overload.empty()) text += "." + op.overload;
  const std::string& layer = op.label.empty() ? tape.layer : op.label;
  return layer.empty() ? text : text + " in " + layer;
}

void check_options(const ExecutorOptions& options) {
  if (options.dtype != DType::none && dtype_class(options.dtype) != DTypeClass::floating) {
    throw Error(ErrorCode::usage, std::string(name(options.dtype)) + " is no floating dtype to replay in");
  }
}

std::vector<at::Tensor> copies(const std::vector<at::Tensor>& tensors) {
  std::vector<at::Tensor> made;
  made.reserve(tensors.size());
  for (const at::Tensor& tensor : tensors) made.push_back(tensor.detach().clone());
  return made;
}

class Run {
 public:
  Run(const Tape& tape, const TapeInputs& inputs, const ExecutorOptions& options)
      : tape_(tape), options_(options), slots_(tape, inputs.externals) {
    run_.sinks = make_gradient_sinks(inputs.externals);
  }

  TapeRun go() {
    for (std::size_t i = 0; i < tape_.ops.size(); ++i) step(i);
    for (const TapeOutput& output : tape_.outputs) run_.outputs.push_back(slots_.get(output.value));
    return std::move(run_);
  }

 private:
  void step(std::size_t number) {
    try {
      keep(number, call(tape_.ops[number]));
    } catch (const Error& error) {
      throw Error(error.code(), place(tape_, number) + ": " + error.what());
    } catch (const std::exception& exception) {
      throw Error(ErrorCode::unsupported, place(tape_, number) + ": " + one_line(exception));
    }
  }

  OpResults call(const TapeOp& op) {
    const DType autocast = options_.dtype == DType::none ? op.autocast : DType::none;
    // Leaving the outermost autocast region empties its cache of cast weights.
    if (autocast == DType::none && autocast_before_ != DType::none) clear_autocast_cache();
    autocast_before_ = autocast;
    const OpModes modes(op, autocast, options_.device.value_or(c10::Device(c10::kCPU)).type());
    return call_op(op, slots_, options_);
  }

  void keep(std::size_t number, const OpResults& results) {
    for (const std::string& note : results.notes) run_.notes.push_back(place(tape_, number) + " " + note);
    if (options_.keep_op_results) run_.op_results.push_back(copies(results.tensors));
  }

  const Tape& tape_;
  const ExecutorOptions& options_;
  Slots slots_;
  TapeRun run_;
  DType autocast_before_ = DType::none;
};

}  // namespace

TapeRun run_tape(const Tape& tape, const TapeInputs& inputs, const ExecutorOptions& options) {
  check_options(options);
  if (!tape.unsupported.empty()) throw Error(ErrorCode::unsupported, tape.unsupported);
  try {
    const RunModes modes(inputs.random_state, options.dtype);
    return Run(tape, inputs, options).go();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& exception) {
    throw Error(ErrorCode::unsupported, one_line(exception));
  }
}

}  // namespace goldentrace
