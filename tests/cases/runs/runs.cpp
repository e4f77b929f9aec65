#include "tests/cases/runs/runs.h"

#include <ATen/ops/empty.h>

#include <cstring>
#include <optional>

#include "cli/plant.h"
#include "cli/wire.h"
#include "traces/error.h"
#include "traces/trace_reader.h"

namespace goldentrace::cases {
namespace {

template <class Train>
auto record_run(const std::filesystem::path& path, const Variation& variation, std::int64_t heads, const Train& train) {
  RecorderOptions options = variation.recorder;
  options.output = path;
  Recorder recorder(options);
  std::optional<Plant> plant;
  if (!variation.plant.empty()) plant.emplace(parse_plant(variation.plant), heads);
  Events events = wire(recorder, {.plant = plant ? &*plant : nullptr});
  events.parameter = [&, watch = events.parameter](const std::string& name, const at::Tensor& value) {
    if (variation.parameter) variation.parameter(name, value);
    watch(name, value);
  };
  if (variation.alter) {
    events.alter = [&, planted = events.alter](const std::string& layer, at::Tensor output) {
      return planted(layer, variation.alter(layer, std::move(output)));
    };
  }
  auto result = train(events);
  recorder.close();
  return result;
}

}  // namespace

MlpOptions small_mlp() { return {.batch_size = 4, .input_dim = 8, .train_dataset_len = 8, .threads = 1}; }

GptOptions small_gpt() {
  GptOptions options;
  options.config.n_layer = 2;
  options.config.n_embd = 8;
  options.config.n_head = 2;
  options.config.vocab_size = 11;
  options.config.n_positions = 8;
  options.batch_size = 2;
  options.seq_len = 5;
  options.steps = 2;
  options.threads = 1;
  return options;
}

MlpResult record(const std::filesystem::path& path, const MlpOptions& options, const Variation& variation) {
  return record_run(path, variation, 0, [&](const Events& events) { return train_mlp(options, events); });
}

GptResult record(const std::filesystem::path& path, const GptOptions& options, const Variation& variation) {
  Variation described = variation;
  Header& header = described.recorder.header;
  header["model.shape"] = name(options.kind);
  for (const auto& [option, value] : describe(options)) header["model." + option] = value;
  return record_run(path, described, head_count(options),
                    [&](const Events& events) { return train_gpt(options, events); });
}

Report compare(const std::filesystem::path& golden, const std::filesystem::path& candidate,
               const DiffOptions& options) {
  return diff(TraceReader(golden), TraceReader(candidate), options);
}

std::string first_divergence(const Report& report) {
  if (report.roots.empty()) return "none";
  const Divergence& root = report.roots.front();
  return root.pair.id.layer + " " + std::string(name(root.pair.id.role)) + " " + root.pair.id.index + " " +
         std::string(name(root.origin));
}

at::Tensor recorded(const std::filesystem::path& trace, const std::string& id) {
  const TraceReader reader(trace);
  const auto row = reader.find(parse_record_id(id));
  if (!row) throw Error(ErrorCode::not_found, id + " is not recorded");
  const std::vector<std::byte> bytes = reader.payload(*row);
  const at::Tensor result = at::empty(reader.records()[static_cast<std::size_t>(*row)].shape, at::kFloat);
  if (bytes.size() != result.nbytes()) throw Error(ErrorCode::incomparable, id + " is no float32");
  std::memcpy(result.data_ptr(), bytes.data(), bytes.size());
  return result;
}

}  // namespace goldentrace::cases
