#include "recorder/kept_call.h"

#include <ATen/record_function.h>

#include "recorder/geometry.h"
#include "tape/backward.h"
#include "tape/executor.h"
#include "tape/external.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

Hash128 hash_of(const at::Tensor& tensor) { return content_hash(contents_of(tensor).bytes); }

std::string text(const TapeValue& value) {
  return std::string(name(value.role)) + ' ' + std::to_string(value.position);
}

// One replay of a kept call.
class Replay {
 public:
  explicit Replay(const KeptCall& kept) : kept_(kept), tape_(build_tape(*kept.call)) {}

  std::string difference() {
    if (!tape_.unsupported.empty()) throw Error(ErrorCode::unsupported, tape_.unsupported);
    TapeInputs inputs;
    inputs.externals = restored();
    inputs.random_state = kept_.random_state;
    const TapeRun run = run_tape(tape_, inputs);
    const std::string forward = output_difference(run);
    return forward.empty() && !kept_.grad_outputs.empty() ? gradient_difference(run) : forward;
  }

 private:
  std::vector<at::Tensor> restored() {
    for (const ValueIndex number : external_values(tape_)) {
      values_.push_back(&tape_.values[static_cast<std::size_t>(number)]);
      contents_.push_back(content_of(*values_.back()));
    }
    std::vector<at::Tensor> tensors = restore_externals(tape_, contents_);
    contents_.clear();
    live_.clear();
    return tensors;
  }

  ExternalContent content_of(const TapeValue& value) {
    const auto found = kept_.externals.find({value.role, value.position});
    if (found == kept_.externals.end()) throw Error(ErrorCode::internal, text(value) + " was not captured");
    const KeptExternal& external = found->second;
    if (!external.parameter.defined()) return {external.content.dtype, external.content.shape, external.content.bytes};
    live_.push_back(contents_of(external.parameter));
    if (content_hash(live_.back().bytes) != external.hash) {
      throw Error(ErrorCode::incomparable, text(value) + " was written before it could be checked");
    }
    return {live_.back().dtype, live_.back().shape, live_.back().bytes};
  }

  std::string output_difference(const TapeRun& run) const {
    for (std::size_t i = 0; i < tape_.outputs.size(); ++i) {
      const auto recorded = kept_.outputs.find(tape_.outputs[i].position);
      if (recorded == kept_.outputs.end()) continue;
      if (hash_of(run.outputs[i]) != recorded->second) return "output " + std::to_string(recorded->first);
    }
    return {};
  }

  std::vector<at::Tensor> totals() const {
    std::vector<at::Tensor> totals;
    for (const TapeOutput& output : tape_.outputs) {
      const auto found = kept_.grad_outputs.find(output.position);
      const KeptBytes* kept = found == kept_.grad_outputs.end() ? nullptr : &found->second;
      totals.push_back(kept == nullptr ? at::Tensor() : tensor_from({kept->dtype, kept->shape, kept->bytes}));
    }
    return totals;
  }

  std::string gradient_difference(const TapeRun& run) const {
    const std::vector<at::Tensor> gradients = run_backward(run, totals());
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      const auto recorded = kept_.shares.find({values_[i]->role, values_[i]->position});
      const bool expected = recorded != kept_.shares.end();
      const bool extra = gradients[i].defined() && !expected && !kept_.call->partial_backward;
      if (extra || (expected && (!gradients[i].defined() || hash_of(gradients[i]) != recorded->second))) {
        return "gradient of " + text(*values_[i]);
      }
    }
    return {};
  }

  const KeptCall& kept_;
  const Tape tape_;
  std::vector<const TapeValue*> values_;  // externals, in the tape's order
  std::vector<ExternalContent> contents_;
  std::vector<Contents> live_;
};

}  // namespace

KeptBytes keep_bytes(const Contents& contents) {
  return {contents.dtype, contents.shape, {contents.bytes.begin(), contents.bytes.end()}};
}

std::string difference_on_replay(const KeptCall& kept) {
  const at::DisableRecordFunctionGuard unseen;
  return Replay(kept).difference();
}

}  // namespace goldentrace
