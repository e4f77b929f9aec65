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

#include "recorder/capture.h"
#include "traces/codec.h"
#include "traces/header.h"

namespace torch::nn {
class Module;
}

namespace goldentrace {

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
  Codec codec = Codec::standard;    // of payloads
  std::uint64_t segment_bytes = 0;  // a new file is begun after the step that passes this size; 0: one file
  Header header;                    // facts of the caller: model.*, run.command_line, run.seed …

  // The trace that `check` compares with, by hash; also for programs that are switched to `check` while they run.
  // Error(usage) when it is the output itself, and the reader's own errors.
  std::filesystem::path golden;
  // Recording ends with the step in which so many records differed from the golden's; 0: it goes on. Only in `check`.
  std::int64_t stop_after = 0;
  // Called once, on the training thread, when recording has ended for that reason: the program may stop. Must not
  // throw.
  std::function<void(std::int64_t differences)> stopped;

  // A file with one word (full, sketch, check, off) that is looked at when a step begins: another level from then on.
  // It may appear, change and vanish while the program runs; another word changes nothing; how often one stood
  // there is noted in the header, and why the file could not be read.
  std::filesystem::path level_file;

  WhenFull when_full = WhenFull::block;
  std::size_t pool_bytes = std::size_t{512} << 20;  // memory for tensors that are not written yet, at most
  int workers = 0;  // threads that compress and write; 0: hardware threads less those of the model, 1 to 4

  std::function<void()> first_layer;  // called once, on the thread that enters the first layer; must not throw
  // Called when a recorded step is complete in the file, in order, with the bytes of payload that it added; on any
  // thread; must not throw.
  std::function<void(std::int64_t step, std::uint64_t bytes)> step_written;
};

// What a run went through, for whoever has to say that the filters left nothing of it.
struct FilterEffect {
  bool recorded = false;                        // an entry of a wanted layer in a wanted step
  std::int64_t first_step = 0, last_step = -1;  // in which a layer was entered, wanted or not
  std::vector<std::string> labels_left_out;     // a few, in order of first use
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
  // The rank that the following micro-batches of this step belong to, where one process plays several. Updates belong
  // to the rank of the process: the header's `rank`, or 0.
  void rank(std::int32_t number);
  void micro(std::int64_t number);
  void input(const std::string& name, const at::Tensor& value);
  void loss(const at::Tensor& value);
  void update();
  void step_loss(const at::Tensor& value);

  // The level from the next step on, whatever the level file said before. From any thread.
  void set_capture(Capture capture);
  // Records that differed from the golden's so far.
  std::int64_t differences() const;

  Header& header();
  FilterEffect filter_effect() const;
  // No layer is checked from now on: at the exit of a process LibTorch can run no ops any more.
  void stop_checking();
  // Of a program that ends by itself: the open step belongs to what close_committed() keeps, if it is complete. It is
  // not while a layer is open, and in a run that trains while a backward or an update is still to come.
  void commit_complete_step();
  // Seals the file. Throws the first error of the recording, if any; then there is no file, except that after a failed
  // write the committed steps are kept and the error says where. Nothing may be said afterwards.
  void close();
  // Drops the open step, seals the committed ones. From any thread, also while ops run: for signals. The callback goes
  // with the recorder. `ended` says why, as header field run.ended: "SIGINT"; a trace that close() sealed has
  // "complete" there, or "stopped after N differences".
  void close_committed(const std::string& ended = "early");

 private:
  struct State;
  void watch_all();
  std::unique_ptr<State> state_;
};

}  // namespace goldentrace
