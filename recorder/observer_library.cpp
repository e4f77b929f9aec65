// libgoldentrace_observer.so: a Recorder from before main() to exit, set up by the environment (recorder/observe.h).
#include <ATen/Version.h>
#include <torch/version.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "recorder/observe.h"
#include "traces/error.h"
#include "traces/printable.h"

namespace goldentrace {
namespace {

// The recording of this process. Never destroyed: threads may outlive main().
struct Observation {
  std::atomic<bool> entered_layer = false;
  RecorderOptions asked;
  std::unique_ptr<Recorder> recorder;
  std::string status_file;
  pid_t process = 0;
  int wake[2] = {-1, -1};  // a signal's number goes in, the watching thread reads it
  std::terminate_handler terminate_before = nullptr;
  std::once_flag ended;
};
Observation& observation() {
  static Observation& only = *new Observation;
  return only;
}

void say(const std::string& text) { std::fprintf(stderr, "goldentrace: %s\n", text.c_str()); }

void write_status(const std::string& text) {
  if (!observation().status_file.empty()) std::ofstream(observation().status_file) << text << '\n';
}

// To the command that asked for the recording, which says it; without one to people.
void report_failure(const std::exception& failure) {
  if (observation().status_file.empty()) return say(failure.what());
  write_status(std::string("failed: ") + failure.what());
}

enum class Ending { whole, complete_steps, committed };

// Why there is nothing to write although the program has layers; empty: there is something.
std::string filtered_out(const FilterEffect& run, const RecorderOptions& asked) {
  if (run.recorded || run.last_step < run.first_step) return "";
  if (run.labels_left_out.empty()) {
    return "no step of the run was to be recorded: it has the steps " + std::to_string(run.first_step) + " to " +
           std::to_string(run.last_step);
  }
  std::string labels;
  for (const std::string& label : run.labels_left_out) labels += (labels.empty() ? "" : ", ") + printable(label);
  return "every label was filtered out: no '" + printable(asked.layers.front()) + "' among its labels " + labels;
}

// Nothing is written, and an older trace stays.
void discard(const std::string& why) {
  observation().recorder.reset();
  write_status("nothing: " + why);
}

void end(Ending ending, const std::string& why) noexcept {
  std::call_once(observation().ended, [&] {
    try {
      const std::string nothing = filtered_out(observation().recorder->filter_effect(), observation().asked);
      if (!nothing.empty() && ending == Ending::whole) return discard(nothing);
      Recorder& recorder = *observation().recorder;
      if (ending == Ending::complete_steps) recorder.commit_complete_step();
      ending == Ending::whole ? recorder.close() : recorder.close_committed(why);
      write_status(ending == Ending::whole ? "sealed" : "committed: " + why);
    } catch (const std::exception& failure) {
      report_failure(failure);
    }
  });
}

bool is_other_process() { return getpid() != observation().process; }

void end_with(int code) {
  code == 0 ? end(Ending::whole, "") : end(Ending::complete_steps, "the program returned " + std::to_string(code));
}

// exit() was called before main() returned. Some of LibTorch's statics are gone already.
void on_program_exit(int code, void*) {
  if (is_other_process() || !observation().recorder) return;
  observation().recorder->stop_checking();
  end_with(code);
}

[[noreturn]] void on_program_terminate() {
  if (!is_other_process()) end(Ending::committed, "an exception was not caught");
  observation().terminate_before();
  std::abort();
}

void take_default_action(int signal) {
  std::signal(signal, SIG_DFL);
  kill(getpid(), signal);
}

// Only calls that are allowed in a signal handler.
void on_program_signal(int signal) {
  if (is_other_process()) return take_default_action(signal);
  const auto number = static_cast<unsigned char>(signal);
  if (write(observation().wake[1], &number, 1) != 1) take_default_action(signal);
}

void watch_signals() {
  unsigned char signal = 0;
  while (read(observation().wake[0], &signal, 1) != 1) {
  }
  end(Ending::committed, std::string("SIG") + sigabbrev_np(signal));
  take_default_action(signal);
}

void handle(int signal) {
  struct sigaction before {};
  sigaction(signal, nullptr, &before);
  if (before.sa_handler != SIG_DFL) return;
  struct sigaction ours {};
  ours.sa_handler = &on_program_signal;
  ours.sa_flags = SA_RESTART;
  sigaction(signal, &ours, nullptr);
}

void watch_endings() {
  observation().terminate_before = std::set_terminate(&on_program_terminate);
  if (pipe(observation().wake) != 0) return;
  std::thread(&watch_signals).detach();
  handle(SIGINT);
  handle(SIGTERM);
}

// The version that runs, not the one that was compiled against.
std::string loaded_version() {
  const std::string config = at::show_config();
  const std::string word = "TORCH_VERSION=";
  const std::size_t at = config.find(word);
  if (at == std::string::npos) return "unknown";
  return config.substr(at + word.size(), config.find_first_of(", \n", at) - at - word.size());
}

std::string taken(const char* variable) {
  const char* value = std::getenv(variable);
  const std::string text = value == nullptr ? "" : value;
  unsetenv(variable);
  return text;
}

// That an earlier program of the same command could not be recorded does not count.
bool is_taken(const std::string& status_file) {
  std::string word;
  std::ifstream(status_file) >> word;
  return !word.empty() && word != "nothing:";
}

// False when an earlier program of the same command was recorded.
bool claim(const std::string& status_file) {
  if (status_file.empty()) return true;
  if (std::FILE* made = std::fopen(status_file.c_str(), "wx")) {
    std::fclose(made);
  } else if (is_taken(status_file)) {
    return false;
  }
  observation().status_file = status_file;
  write_status("recording");
  return true;
}

void refuse(const std::string& why, const std::string& status_file) {
  if (status_file.empty() || is_taken(status_file)) return say("not recorded: " + why);
  observation().status_file = status_file;
  write_status("nothing: " + why);
}

void start() {
  const std::string output = taken(environment::output), options = taken(environment::options),
                    status = taken(environment::status);
  const std::string version = loaded_version(), wanted = TORCH_VERSION;
  if (version != wanted && !version.starts_with(wanted + '+') && !wanted.starts_with(version + '+')) {
    return refuse("its LibTorch is " + version + ", goldentrace was built for " + wanted, status);
  }
  if (!claim(status)) return say("not recorded: another program of this command was recorded to " + output);
  observation().process = getpid();
  try {
    RecorderOptions wanted_options = options.empty() ? RecorderOptions() : parse_recorder_options(options);
    wanted_options.output = output;
    observation().asked = wanted_options;
    // What is registered before main() would run after LibTorch's own clean-up.
    wanted_options.first_layer = [] {
      observation().entered_layer = true;
      on_exit(&on_program_exit, nullptr);
    };
    observation().recorder = std::make_unique<Recorder>(std::move(wanted_options));
  } catch (const std::exception& failure) {
    return report_failure(failure);
  }
  watch_endings();
}

// A program that entered no layer: the libraries below are still there.
__attribute__((destructor)) void on_unload() {
  if (observation().recorder && !is_other_process()) end(Ending::committed, "it entered no layer");
}

}  // namespace
}  // namespace goldentrace

extern "C" __attribute__((visibility("default"))) void goldentrace_observe() { goldentrace::start(); }

// main() returned `code`; everything is still there. Without a layer there is nothing to seal: see on_unload().
extern "C" __attribute__((visibility("default"))) void goldentrace_main_returned(int code) {
  using namespace goldentrace;
  if (observation().recorder && observation().entered_layer && !is_other_process()) end_with(code);
}
