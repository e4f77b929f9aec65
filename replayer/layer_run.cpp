#include "replayer/layer_run.h"

#include <algorithm>

#include "tape/backward.h"
#include "tape/dtypes.h"
#include "tape/executor.h"
#include "tape/external.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

const TapeValue& value(const Tape& tape, ValueIndex index) { return tape.values[static_cast<std::size_t>(index)]; }

std::string shown(const TapeValue& external) {
  return std::string(name(external.role)) + " " +
         (external.index.empty() ? std::to_string(external.position) : external.index);
}

RecordedContent content_of_external(const TapeValue& external, const CallSource& source, double perturb) {
  const auto row = source.table.row(source.key, external.role, external.position);
  if (!row) throw Error(ErrorCode::incomparable, "cannot replay: no inputs (" + shown(external) + " has no record)");
  RecordedContent content = needed_content(source.trace, *row);
  const auto salt = static_cast<std::uint64_t>(external.position);
  return external.role == Role::input ? perturbed(std::move(content), perturb, salt) : content;
}

std::vector<RecordedContent> contents_of(const Tape& tape, const CallSource& source, double perturb) {
  std::vector<RecordedContent> contents;
  for (const ValueIndex index : external_values(tape)) {
    contents.push_back(content_of_external(value(tape, index), source, perturb));
  }
  return contents;
}

at::Tensor random_state(const CallSource& source) {
  const auto row = source.table.call(source.key);
  const std::int64_t blob = row ? source.trace.calls()[static_cast<std::size_t>(*row)].random : -1;
  if (blob < 0) return {};
  const std::vector<std::byte> bytes = source.trace.blob(blob);
  return tensor_from({DType::uint8, {static_cast<std::int64_t>(bytes.size())}, bytes});
}

std::vector<at::Tensor> tensors_of(const Tape& tape, const std::vector<RecordedContent>& contents,
                                   const LayerRunOptions& options) {
  std::vector<ExternalContent> views;
  views.reserve(contents.size());
  for (const RecordedContent& content : contents) views.push_back(content.view());
  return restore_externals(tape, views, {.dtype = options.dtype, .device = options.device});
}

at::Tensor as_gradient_of(const at::Tensor& output, const RecordedContent& content) {
  return tensor_from(content.view()).to(output.device(), output.scalar_type());
}

// Undefined where none was recorded.
std::vector<at::Tensor> grad_outputs(const Tape& tape, const TapeRun& run, const CallSource& source) {
  std::vector<at::Tensor> gradients(run.outputs.size());
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    const auto row = source.table.row(backward_of(source.key), Role::grad_output, tape.outputs[i].position);
    if (row) gradients[i] = as_gradient_of(run.outputs[i], needed_content(source.trace, *row));
  }
  return gradients;
}

Role gradient_role(Role role) { return role == Role::input ? Role::grad_input : Role::param_grad; }

void add_gradient(LayerRun& result, const TapeValue& external, const at::Tensor& gradient) {
  if (!gradient.defined()) return;
  at::Tensor& sum = result.tensors[{gradient_role(external.role), external.position}];
  sum = sum.defined() ? sum.add(gradient) : gradient;
}

void run_gradients(LayerRun& result, const Tape& tape, const TapeRun& run, const CallSource& source) {
  const std::vector<at::Tensor> totals = grad_outputs(tape, run, source);
  if (std::none_of(totals.begin(), totals.end(), [](const at::Tensor& total) { return total.defined(); })) return;
  const std::vector<at::Tensor> gradients = run_backward(run, totals);
  const std::vector<ValueIndex> externals = external_values(tape);
  for (std::size_t i = 0; i < gradients.size(); ++i) add_gradient(result, value(tape, externals[i]), gradients[i]);
  for (std::size_t i = 0; i < totals.size(); ++i) {
    if (totals[i].defined()) result.tensors[{Role::grad_output, tape.outputs[i].position}] = totals[i];
  }
  result.backward = true;
}

void keep_inputs(LayerRun& result, const Tape& tape, const std::vector<RecordedContent>& contents,
                 const LayerRunOptions& options) {
  const std::vector<ValueIndex> externals = external_values(tape);
  for (std::size_t i = 0; i < externals.size(); ++i) {
    const TapeValue& external = value(tape, externals[i]);
    const at::Tensor content = tensor_from(contents[i].view());
    result.tensors[{external.role, external.position}] = content.to(moved_to(content.scalar_type(), options.dtype));
  }
}

}  // namespace

LayerRun run_layer(const Tape& tape, const CallSource& source, const LayerRunOptions& options) {
  const std::vector<RecordedContent> contents = contents_of(tape, source, options.perturb);
  LayerRun result;
  if (options.keep_inputs) keep_inputs(result, tape, contents, options);
  TapeRun run = run_tape(tape, {tensors_of(tape, contents, options), random_state(source)},
                         {.dtype = options.dtype, .device = options.device});
  result.notes = run.notes;
  for (std::size_t i = 0; i < run.outputs.size(); ++i) {
    result.tensors[{Role::output, tape.outputs[i].position}] = run.outputs[i];
  }
  if (!options.backward) return result;
  try {
    run_gradients(result, tape, run, source);
  } catch (const Error& error) {
    result.backward_refused = error.what();
  }
  return result;
}

bool is_differentiable(const Tape& tape) {
  const bool graph = std::any_of(tape.ops.begin(), tape.ops.end(), [](const TapeOp& op) { return op.grad_mode; });
  return graph && std::any_of(tape.values.begin(), tape.values.end(), [](const TapeValue& each) {
           return each.source != ValueSource::op && each.requires_grad;
         });
}

}  // namespace goldentrace
