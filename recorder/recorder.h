// Records a running LibTorch program: one RecordFunction callback, no hooks in the model.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "traces/codec.h"
#include "traces/header.h"

namespace torch::nn {
class Module;
}

namespace goldentrace {

enum class Capture { full, sketch };
enum class SelfCheck { first, every, none };

struct RecorderOptions {
  std::filesystem::path output;
  Capture capture = Capture::full;
  bool ops = false;                 // hash and statistics of every op output
  std::vector<std::string> layers;  // globs; only these layers are recorded; empty: all
  std::vector<std::int64_t> steps;  // only these steps; empty: all
  std::vector<std::string> roles;   // only payloads of these roles; empty: all
  SelfCheck self_check = SelfCheck::first;
  std::size_t sketch_size = 256;
  Codec codec = Codec::standard;      // of payloads
  Header header;                      // facts of the caller: model.*, run.command_line, run.seed …
  std::function<void()> first_layer;  // called once, on the thread that enters the first layer; must not throw
  // Called when a recorded step is complete, with the bytes of payload that it added; must not throw.
  std::function<void(std::int64_t step, std::uint64_t bytes)> step_written;
};

// At most one Recorder observes a process at a time (a second one is refused with Error(usage)). Methods are called on
// the training thread; backward may run on any thread. The recorder never throws into the model's ops: the first
// failure is kept, recording stops, the model goes on, and close() reports it.
//
// Destroyed without close() (an exception in the middle of a step): no file, no hook, no callback, no memory left.
class Recorder {
 public:
  explicit Recorder(RecorderOptions options);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // Names of parameters and buffers. Leaf tensors that require a gradient and are not watched are parameters without a
  // name; once a module was watched they are inputs. The module need not outlive the recorder.
  void watch(const torch::nn::Module& module);
  void watch(const std::string& name, const at::Tensor& parameter);
  void watch_buffer(const std::string& name, const at::Tensor& buffer);

  void step(std::int64_t number);
  void micro(std::int64_t number);
  void input(const std::string& name, const at::Tensor& value);
  void loss(const at::Tensor& value);
  void update();
  void step_loss(const at::Tensor& value);

  Header& header();
  // No layer is checked from now on: at the exit of a process LibTorch can run no ops any more.
  void stop_checking();
  // Seals the file. Throws the first error of the recording, if any; then there is no file. Nothing may be said
  // afterwards.
  void close();
  // Drops the open step, seals the committed ones. From any thread, also while ops run: for signals. The callback goes
  // with the recorder.
  void close_committed();

 private:
  struct State;
  void watch_all();
  std::unique_ptr<State> state_;
};

}  // namespace goldentrace
