// Times training steps bare and recorded, one after the other in one process:
//   bench_step mlp|gpt STEPS ROUNDS FOLDER [LEVEL]...
// Each round trains STEPS steps bare, with `full` capture in two codecs, with `sketch` capture, and with a recorder
// that was told to record step 0 alone (LEVELs: only these, "bare" too); on one thread; FOLDER receives the traces and
// is left empty. Prints one JSON document. Steps are timed from one step event to the next; the first one of each run
// (first touch of memory, the recorder's self-check) and the last one (closing) are reported apart.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "models/gpt.h"
#include "models/mlp.h"
#include "recorder/recorder.h"

namespace goldentrace {
namespace {

using Clock = std::chrono::steady_clock;
using Train = std::function<void(const Events&)>;

double seconds(Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

MlpOptions mlp_options(std::int64_t steps) {
  MlpOptions options;
  options.input_dim = 2048;
  options.train_dataset_len = options.batch_size * steps;
  options.threads = 1;
  return options;
}

GptOptions gpt_options(std::int64_t steps) {
  GptOptions options;
  options.config.n_layer = 4;
  options.config.n_embd = 768;
  options.config.n_head = 12;
  options.batch_size = 1;
  options.seq_len = 256;
  options.steps = steps;
  options.threads = 1;
  return options;
}

Train trainer(const std::string& model, std::int64_t steps) {
  if (model == "mlp") return [=](const Events& events) { train_mlp(mlp_options(steps), events); };
  if (model == "gpt") return [=](const Events& events) { train_gpt(gpt_options(steps), events); };
  throw std::invalid_argument("unknown model '" + model + "'; use mlp or gpt");
}

Events recording(Recorder& recorder) {
  Events events;
  events.parameter = [&](const std::string& name, const at::Tensor& value) { recorder.watch(name, value); };
  events.step = [&](std::int64_t number) { recorder.step(number); };
  events.micro = [&](std::int64_t number) { recorder.micro(number); };
  events.input = [&](const std::string& name, const at::Tensor& value) { recorder.input(name, value); };
  events.loss = [&](const at::Tensor& loss) { recorder.loss(loss); };
  events.update = [&] { recorder.update(); };
  events.step_loss = [&](const at::Tensor& loss) { recorder.step_loss(loss); };
  return events;
}

struct Run {
  std::vector<double> steps;  // seconds
  double first_step = 0;
  double close = 0;
  std::uint64_t file_bytes = 0;
};

std::vector<Clock::time_point> train(const Train& model, Events events) {
  std::vector<Clock::time_point> starts;
  const auto listener = std::move(events.step);
  events.step = [&](std::int64_t number) {
    starts.push_back(Clock::now());
    if (listener) listener(number);
  };
  model(events);
  return starts;
}

Run intervals(const std::vector<Clock::time_point>& starts) {
  if (starts.size() < 3) throw std::invalid_argument("too few steps to time; use at least 4");
  Run run;
  run.first_step = seconds(starts[1] - starts[0]);
  for (std::size_t i = 2; i < starts.size(); ++i) run.steps.push_back(seconds(starts[i] - starts[i - 1]));
  return run;
}

nlohmann::json to_json(const Run& run) {
  return {{"steps", run.steps}, {"first_step", run.first_step}, {"close", run.close}, {"file_bytes", run.file_bytes}};
}

// How a run is recorded.
struct Level {
  const char* name;
  RecorderOptions options;
};

std::vector<Level> levels() {
  std::vector<Level> all{
      {"bare", {}}, {"full", {}}, {"full, codec fast", {}}, {"sketch", {}}, {"step not recorded", {}}};
  all[2].options.codec = Codec::fast;
  all[3].options.capture = Capture::sketch;
  all[4].options.steps = {0};
  return all;
}

std::vector<Level> levels_named(const std::vector<std::string>& names) {
  std::vector<Level> chosen = levels();
  if (names.empty()) return chosen;
  std::erase_if(chosen,
                [&](const Level& level) { return std::find(names.begin(), names.end(), level.name) == names.end(); });
  return chosen;
}

Run recorded_run(const Train& model, RecorderOptions options, const std::filesystem::path& folder) {
  options.output = folder / "bench_step.h5";
  Recorder recorder(options);
  Run run = intervals(train(model, recording(recorder)));
  const auto end = Clock::now();
  recorder.close();
  run.close = seconds(Clock::now() - end);
  run.file_bytes = std::filesystem::file_size(options.output);
  std::filesystem::remove(options.output);
  return run;
}

int main_with(const std::string& model, std::int64_t steps, int rounds, const std::filesystem::path& folder,
              const std::vector<std::string>& names) {
  const Train train_model = trainer(model, steps);
  nlohmann::json result = nlohmann::json::array();
  for (int round = 0; round < rounds; ++round) {
    for (const Level& level : levels_named(names)) {
      // Bare: nothing listens but the clock.
      const bool bare = std::string_view(level.name) == "bare";
      const Run run = bare ? intervals(train(train_model, {})) : recorded_run(train_model, level.options, folder);
      result.push_back(nlohmann::json{{"level", level.name}, {"run", to_json(run)}});
    }
  }
  std::cout << result.dump() << '\n';
  return 0;
}

}  // namespace
}  // namespace goldentrace

int main(int argc, char** argv) {
  try {
    if (argc < 5) throw std::invalid_argument("usage: bench_step mlp|gpt STEPS ROUNDS FOLDER [LEVEL]...");
    return goldentrace::main_with(argv[1], std::stoll(argv[2]), std::stoi(argv[3]), argv[4], {argv + 5, argv + argc});
  } catch (const std::exception& failure) {
    std::cerr << "bench_step: " << failure.what() << '\n';
    return 2;
  }
}
