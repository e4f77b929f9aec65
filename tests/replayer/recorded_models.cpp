#include "tests/replayer/recorded_models.h"

#include <utility>

namespace goldentrace {
namespace {

Events events_of(Recorder& recorder) {
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

RecorderOptions recorder_options(const std::filesystem::path& file, Capture capture) {
  RecorderOptions options;
  options.output = file;
  options.capture = capture;
  return options;
}

}  // namespace

void record_mlp(const std::filesystem::path& file, const MlpOptions& options, Capture capture) {
  Recorder recorder(recorder_options(file, capture));
  train_mlp(options, events_of(recorder));
  recorder.close();
}

void record_gpt(const std::filesystem::path& file, const GptOptions& options, Capture capture) {
  Recorder recorder(recorder_options(file, capture));
  train_gpt(options, events_of(recorder));
  recorder.close();
}

MlpOptions small_mlp(MlpVariant variant) {
  MlpOptions options;
  options.variant = variant;
  options.input_dim = 64;
  options.batch_size = 16;
  options.train_dataset_len = 64;
  options.gradient_accumulation_steps = variant == MlpVariant::plain ? 1 : 2;
  return options;
}

GptOptions small_gpt() {
  GptOptions options;
  options.config.vocab_size = 97;
  options.config.n_positions = 32;
  options.config.n_embd = 48;
  options.config.n_layer = 2;
  options.config.n_head = 4;
  options.batch_size = 3;
  options.seq_len = 17;
  options.steps = 2;
  return options;
}

}  // namespace goldentrace
