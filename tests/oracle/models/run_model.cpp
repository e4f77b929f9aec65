// Runs one model and writes what a judge in Python compares, as a .safetensors file.
//
//   run_model mlp OUT KEY=VALUE…            losses, micro_losses, evaluation, param.NAME
//   run_model gpt OUT INPUTS KEY=VALUE…     losses, logits, param.NAME, and of step 0: tap.LAYER, grad.NAME, init.NAME
//
// INPUTS is a .safetensors file with ids and, if wanted, labels, mask and prefixes, or "none": ids are drawn from the
// seed.
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/tensor.h>

#include <charconv>
#include <cstdio>
#include <map>

#include "checkpoints/safetensors.h"
#include "models/gpt.h"
#include "models/gpt_checkpoint.h"
#include "models/mlp.h"
#include "traces/error.h"

using namespace goldentrace;

namespace {

using Settings = std::map<std::string, std::string>;

Settings parse_settings(int argc, char** argv, int first) {
  Settings settings;
  for (int i = first; i < argc; ++i) {
    const std::string text = argv[i];
    const auto equals = text.find('=');
    if (equals == std::string::npos) throw Error(ErrorCode::usage, text + " is no KEY=VALUE");
    settings[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return settings;
}

std::string take(Settings& settings, const std::string& key, const std::string& otherwise) {
  const auto node = settings.extract(key);
  return node.empty() ? otherwise : node.mapped();
}

std::int64_t take_number(Settings& settings, const std::string& key, std::int64_t otherwise) {
  return std::stoll(take(settings, key, std::to_string(otherwise)));
}

at::ScalarType scalar_type(DType dtype) {
  switch (dtype) {
    case DType::float16:
      return at::kHalf;
    case DType::bfloat16:
      return at::kBFloat16;
    case DType::float64:
      return at::kDouble;
    case DType::int64:
      return at::kLong;
    default:
      return at::kFloat;
  }
}

DType dtype_of(const at::Tensor& tensor) {
  for (const DType dtype : {DType::float16, DType::bfloat16, DType::float64, DType::int64})
    if (scalar_type(dtype) == tensor.scalar_type()) return dtype;
  return DType::float32;
}

at::Tensor load(const SafetensorsFile& file, const std::string& name) {
  const SafetensorsEntry* entry = file.find(name);
  if (entry == nullptr) return {};
  const at::Tensor tensor = at::empty(entry->shape, scalar_type(entry->dtype));
  file.read(*entry, {static_cast<std::byte*>(tensor.data_ptr()), entry->size});
  return tensor;
}

void save(const std::string& path, NamedTensors tensors) {
  std::vector<SafetensorsTensor> out;
  for (NamedTensor& entry : tensors) {
    entry.tensor = entry.tensor.detach().contiguous();
    out.push_back({entry.name,
                   dtype_of(entry.tensor),
                   entry.tensor.sizes().vec(),
                   {static_cast<const std::byte*>(entry.tensor.const_data_ptr()), entry.tensor.nbytes()}});
  }
  write_safetensors(path, out);
}

void add(NamedTensors& out, const std::string& prefix, const NamedTensors& more) {
  for (const NamedTensor& entry : more) out.push_back({prefix + entry.name, entry.tensor});
}

NamedTensors run_mlp(Settings settings) {
  MlpOptions options;
  options.gradient_accumulation_steps = take_number(settings, "micros", 1);
  options.variant = options.gradient_accumulation_steps > 1 ? MlpVariant::ga_loop : MlpVariant::plain;
  options.input_dim = take_number(settings, "input_dim", 64);
  options.train_dataset_len = take_number(settings, "samples", 8192);
  options.threads = static_cast<int>(take_number(settings, "threads", 0));
  options.dtype = scalar_type(parse_dtype(take(settings, "dtype", "float32")));
  const MlpResult result = train_mlp(options);
  NamedTensors out{{"losses", at::tensor(result.losses, at::kDouble)},
                   {"micro_losses", at::tensor(result.micro_losses, at::kDouble)},
                   {"evaluation", result.evaluation}};
  add(out, "param.", result.parameters);
  return out;
}

GptOptions gpt_options(Settings& settings, const std::string& inputs) {
  GptOptions options;
  options.kind = parse_gpt_kind(take(settings, "shape", "hf"));
  options.steps = take_number(settings, "steps", 1);
  options.seed = static_cast<std::uint64_t>(take_number(settings, "seed", 42));
  options.threads = static_cast<int>(take_number(settings, "threads", 0));
  options.dtype = scalar_type(parse_dtype(take(settings, "dtype", "float32")));
  options.optimizer = parse_optimizer_kind(take(settings, "optimizer", "sgd"));
  options.lr = std::stod(take(settings, "lr", "0.01"));
  options.checkpoint = take(settings, "checkpoint", "");
  if (!options.checkpoint.empty()) adopt_checkpoint(options);
  for (const auto& [name, value] : settings) set_option(options, name, value);
  if (inputs != "none") {
    const SafetensorsFile file(inputs);
    options.batches.push_back({load(file, "ids"), load(file, "labels"), load(file, "mask"), load(file, "prefixes")});
  }
  return options;
}

NamedTensors run_gpt(Settings settings, const std::string& inputs) {
  NamedTensors out, parameters;
  std::int64_t current = 0;
  Events events;
  events.parameter = [&](const std::string& name, const at::Tensor& value) {
    parameters.push_back({name, value});
    out.push_back({"init." + name, value.detach().clone()});
  };
  events.step = [&](std::int64_t step) { current = step; };
  events.alter = [&](const std::string& layer, at::Tensor output) {
    if (current == 0) out.push_back({"tap." + layer, output.detach().clone()});
    return output;
  };
  events.update = [&] {
    if (current == 0)
      for (const NamedTensor& entry : parameters)
        if (entry.tensor.grad().defined()) out.push_back({"grad." + entry.name, entry.tensor.grad().clone()});
  };
  const GptResult result = train_gpt(gpt_options(settings, inputs), events);
  for (const std::string& note : result.notes) std::puts(note.c_str());
  out.push_back({"losses", at::tensor(result.losses, at::kDouble)});
  out.push_back({"logits", result.logits});
  add(out, "param.", result.parameters);
  return out;
}

void run(int argc, char** argv) {
  const std::string model = argc > 2 ? argv[1] : "";
  if (model == "mlp")
    save(argv[2], run_mlp(parse_settings(argc, argv, 3)));
  else if (model == "gpt" && argc > 3)
    save(argv[2], run_gpt(parse_settings(argc, argv, 4), argv[3]));
  else
    throw Error(ErrorCode::usage, "usage: run_model mlp OUT KEY=VALUE… | gpt OUT INPUTS KEY=VALUE…");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc, argv);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
