#include "replayer/replay.h"

#include <ATen/Context.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <utility>

#include "replayer/call_table.h"
#include "replayer/dump.h"
#include "replayer/judging.h"
#include "replayer/layer_run.h"
#include "replayer/selection.h"
#include "tape/environment.h"
#include "tape/failure.h"
#include "tape/flags.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

constexpr int most_threads = 1024;

// Variables by which the libraries below LibTorch choose their code.
constexpr std::array code_choices = {"MKL_CBWR", "ONEDNN_DEFAULT_FPMATH_MODE", "ONEDNN_MAX_CPU_ISA"};

std::string header_value(const TraceReader& trace, const std::string& key) {
  const auto found = trace.header().find(key);
  return found == trace.header().end() ? std::string() : found->second;
}

int recorded_threads(const TraceReader& trace) {
  const std::string text = header_value(trace, "run.threads");
  int threads = 0;
  std::from_chars(text.data(), text.data() + text.size(), threads);
  return threads > 0 && threads <= most_threads ? threads : thread_count();
}

std::optional<c10::Device> device_of(const ReplayOptions& options) {
  if (options.device.empty() || options.device == "cpu") return std::nullopt;
  c10::Device device(c10::kCPU);
  try {
    device = c10::Device(options.device);
  } catch (const std::exception& exception) {
    throw Error(ErrorCode::usage, "device " + options.device + ": " + one_line(exception));
  }
  if (!device.is_cuda() || !at::globalContext().hasCUDA()) {
    throw Error(ErrorCode::unsupported, "device " + options.device + " is not available here");
  }
  return device;
}

class Replayer {
 public:
  Replayer(const TraceReader& trace, const ReplayOptions& options)
      : options_(options),
        contents_(options.inputs ? *options.inputs : trace),
        tapes_(options.tape_from ? *options.tape_from : trace),
        content_table_(contents_, options.layer),
        tape_table_(tapes_, options.layer),
        threads_(recorded_threads(contents_)),
        flags_(contents_.header()) {
    report_.trace = trace.path();
    if (options.inputs) report_.inputs = options.inputs->path();
    if (options.tape_from) report_.tape_from = options.tape_from->path();
    report_.threads = thread_count();
    layer_options_.dtype = options.dtype;
    layer_options_.device = device_of(options);
    layer_options_.perturb = options.perturb;
    layer_options_.keep_inputs = !options.dump.empty();
    gate_ = options.gate.value_or(default_gate());
    report_.gate = describe(gate_);
  }

  ReplayReport go() {
    // The calls of the trace that was named; its tapes and inputs may be elsewhere.
    Selection selection = select_calls(contents_, options_);
    report_.not_replayed = std::move(selection.left_out);
    open_dump();
    for (std::size_t i = 0; i < selection.calls.size(); ++i) {
      replay_call(contents_.calls()[static_cast<std::size_t>(selection.calls[i])]);
      if (options_.progress) options_.progress(i + 1, selection.calls.size());
    }
    refuse_when_nothing_ran();
    if (dump_) dump_->close();
    return std::move(report_);
  }

 private:
  bool is_plain() const {
    return options_.dtype == DType::none && options_.perturb == 0 && !layer_options_.device && &contents_ == &tapes_;
  }

  bool is_same_environment() {
    const auto differs = [&](const std::string& key, const std::string& here) {
      const std::string there = header_value(contents_, key);
      if (there.empty() || there == here) return false;
      report_.notes.push_back("recorded with " + key + " " + there + ", replayed with " + here);
      return true;
    };
    for (const char* name : code_choices) {
      const char* here = std::getenv(name);
      differs(std::string("env.") + name, here ? here : "unset");
    }
    const bool cpu = differs("cpu.features", cpu_features());
    return !differs("torch.version", torch_version()) && !cpu;
  }

  Gate default_gate() {
    const bool same = is_same_environment();
    return {.kind = is_plain() && same ? GateKind::bitwise : GateKind::rel};
  }

  void open_dump() {
    if (options_.dump.empty()) return;
    for (const TraceReader* read : {&contents_, &tapes_}) {
      std::error_code absent;
      if (std::filesystem::equivalent(options_.dump, read->path(), absent)) {
        throw Error(ErrorCode::usage, "the dump would replace a trace that it is made from; give it another name",
                    {.file = options_.dump.string(), .record = {}});
      }
    }
    Header extra{{"replay.of", contents_.path().filename().string()},
                 {"replay.tape_of", tapes_.path().filename().string()},
                 {"capture.level", "full"}};
    if (options_.dtype != DType::none) extra["replay.dtype"] = name(options_.dtype);
    if (options_.perturb != 0) extra["replay.perturb"] = std::to_string(options_.perturb);
    dump_ = std::make_unique<Dump>(options_.dump, contents_, extra);
  }

  void replay_call(const LayerCall& call) {
    ReplayedCall result{.step = call.step,
                        .micro = call.micro,
                        .rank = call.rank,
                        .call = call.call,
                        .pass = call.pass,
                        .layer = call.layer};
    try {
      run_and_judge(call, result);
    } catch (const Error& error) {
      result.verdict = ReplayVerdict::unsupported;
      result.reason = error.what();
    }
    report_.verdict = worse(report_.verdict, result.verdict);
    report_.calls.push_back(std::move(result));
  }

  Tape tape_of(const CallKey& key) const {
    const auto row = tape_table_.call(key);
    if (!row) throw Error(ErrorCode::not_found, tapes_.path().filename().string() + " has no such call");
    const std::int64_t tape = tapes_.calls()[static_cast<std::size_t>(*row)].tape;
    if (tape >= 0) return tapes_.tape(tape);
    const bool inputs = !content_table_.rows(key, Role::input).empty();
    throw Error(ErrorCode::incomparable,
                inputs ? "cannot replay: no tape was recorded for this call" : "cannot replay: no inputs");
  }

  // Of a checkpointed layer's two entries one has the graph.
  bool owns_backward(const CallKey& key, const Tape& tape) const {
    if (options_.pass && *options_.pass != Pass::backward) return false;
    if (!is_differentiable(tape)) return false;
    if (key.pass == Pass::forward) return true;
    CallKey forward = key;
    forward.pass = Pass::forward;
    return !tape_table_.call(forward) || !is_differentiable(tape_of(forward));
  }

  void run_and_judge(const LayerCall& call, ReplayedCall& result) {
    const CallSource source{contents_, content_table_, key_of(call)};
    const Tape tape = tape_of(source.key);
    LayerRunOptions layer = layer_options_;
    layer.backward = owns_backward(source.key, tape);
    const LayerRun run = run_layer(tape, source, layer);
    result.notes = run.notes;
    if (options_.pass != Pass::backward) judge_role(source.key, Role::output, run, result);
    if (layer.backward) judge_backward(source.key, run, result);
    if (&contents_ != &tapes_) check_reproduced(source.key, tape, run, result);
    if (result.tensors.empty() && result.verdict == ReplayVerdict::bit_equal)
      result.notes.push_back("nothing to judge");
    if (dump_) dump_->add(source, tape, run);
  }

  void judge_backward(const CallKey& key, const LayerRun& run, ReplayedCall& result) {
    if (!run.backward_refused.empty()) {
      result.verdict = worse(result.verdict, ReplayVerdict::unsupported);
      result.reason = "backward: " + run.backward_refused;
    }
    if (!run.backward) return;
    judge_role(backward_of(key), Role::grad_input, run, result);
    judge_role(backward_of(key), Role::param_grad, run, result);
  }

  void judge_role(const CallKey& key, Role role, const LayerRun& run, ReplayedCall& result) {
    for (const auto& [position, row] : content_table_.rows(key, role)) {
      const auto made = run.tensors.find({role, position});
      const at::Tensor replayed = made == run.tensors.end() ? at::Tensor() : made->second;
      result.tensors.push_back(judge_replayed(contents_, row, replayed, gate_));
      result.verdict = worse(result.verdict, result.tensors.back().verdict);
      if (result.tensors.back().verdict == ReplayVerdict::unsupported) result.reason = result.tensors.back().reason;
    }
  }

  // Only a run from the same inputs can be expected to give the tape's trace's outputs.
  bool starts_alike(const CallKey& key, const Tape& tape) const {
    for (const TapeValue& value : tape.values) {
      if (value.source != ValueSource::external) continue;
      const auto a = tape_table_.row(key, value.role, value.position);
      const auto b = content_table_.row(key, value.role, value.position);
      if (!a || !b) return false;
      const Record& theirs = tapes_.records()[static_cast<std::size_t>(*a)];
      const Record& ours = contents_.records()[static_cast<std::size_t>(*b)];
      if (theirs.fingerprint.hash != ours.fingerprint.hash || theirs.dtype != ours.dtype) return false;
    }
    return options_.perturb == 0 && options_.dtype == DType::none;
  }

  void check_reproduced(const CallKey& key, const Tape& tape, const LayerRun& run, ReplayedCall& result) const {
    const std::string name = tapes_.path().filename().string();
    if (!starts_alike(key, tape)) {
      result.notes.push_back("started from other values than in " + name);
      return;
    }
    bool all = true;
    for (const auto& [position, row] : tape_table_.rows(key, Role::output)) {
      const auto made = run.tensors.find({Role::output, position});
      all = all && made != run.tensors.end() &&
            has_recorded_hash(tapes_.records()[static_cast<std::size_t>(row)], made->second);
    }
    result.reproduced = all;
    result.notes.push_back(all ? "reproduced the outputs recorded in " + name + " bit for bit"
                               : "did not reproduce the outputs recorded in " + name + " on this hardware");
  }

  void refuse_when_nothing_ran() const {
    const bool judged = std::any_of(report_.calls.begin(), report_.calls.end(), [](const ReplayedCall& call) {
      return !call.tensors.empty() || call.verdict == ReplayVerdict::unsupported;
    });
    if (!judged)
      throw Error(ErrorCode::incomparable, "nothing to compare: no output or gradient was recorded",
                  {.file = report_.trace.string(), .record = {}});
    if (options_.layer.empty()) return;
    for (const ReplayedCall& call : report_.calls) {
      if (call.verdict != ReplayVerdict::unsupported || !call.tensors.empty()) return;
    }
    const ReplayedCall& first = report_.calls.front();
    throw Error(ErrorCode::unsupported, first.reason, {.file = report_.trace.string(), .record = describe(first)});
  }

  const ReplayOptions& options_;
  const TraceReader& contents_;
  const TraceReader& tapes_;
  const CallTable content_table_;
  const CallTable tape_table_;
  const ThreadCount threads_;
  const TorchFlags flags_;
  LayerRunOptions layer_options_;
  Gate gate_;
  ReplayReport report_;
  std::unique_ptr<Dump> dump_;
};

}  // namespace

ReplayReport replay(const TraceReader& trace, const ReplayOptions& options) { return Replayer(trace, options).go(); }

}  // namespace goldentrace
