#include "recorder/facts.h"

#include <ATen/Context.h>

#include <array>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <utility>

#include "tape/environment.h"

namespace goldentrace {
namespace {

// Variables that change numbers, nothing that could hold a secret.
constexpr std::array env_names = {"ATEN_CPU_CAPABILITY",  "CUBLAS_WORKSPACE_CONFIG",
                                  "CUDA_LAUNCH_BLOCKING", "CUDA_VISIBLE_DEVICES",
                                  "KMP_AFFINITY",         "MKL_CBWR",
                                  "MKL_DYNAMIC",          "MKL_NUM_THREADS",
                                  "NVIDIA_TF32_OVERRIDE", "OMP_DYNAMIC",
                                  "OMP_NUM_THREADS",      "ONEDNN_DEFAULT_FPMATH_MODE",
                                  "ONEDNN_MAX_CPU_ISA",   "OPENBLAS_NUM_THREADS",
                                  "PYTHONHASHSEED",       "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE"};

std::string yes_no(bool value) { return value ? "true" : "false"; }

template <typename Items>
std::string joined(const Items& items) {
  std::string text;
  for (const auto& item : items) {
    if (!text.empty()) text += ',';
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(item)>>) {
      text += std::to_string(item);
    } else {
      text += item;
    }
  }
  return text;
}

void add_capture(Header& header, const RecorderOptions& options) {
  header["capture.level"] = name(options.capture);
  header["capture.when_full"] = name(options.when_full);
  header["capture.codec"] = name(options.codec);
  header["capture.sketch_size"] = std::to_string(options.sketch_size);
  header["capture.ops"] = yes_no(options.ops);
  if (!options.layers.empty()) header["capture.layers"] = joined(options.layers);
  if (!options.steps.empty()) header["capture.steps"] = joined(options.steps);
  if (!options.roles.empty()) header["capture.roles"] = joined(options.roles);
}

// What float32 products are rounded to, of every backend.
void add_fp32_precision(const at::Context& context, Header& header) {
  using Backend = at::Float32Backend;
  using Op = at::Float32Op;
  for (const auto& [backend, backend_name] : {std::pair(Backend::CUDA, "cuda"), std::pair(Backend::MKLDNN, "mkldnn")}) {
    for (const auto& [op, op_name] :
         {std::pair(Op::MATMUL, "matmul"), std::pair(Op::CONV, "conv"), std::pair(Op::RNN, "rnn")}) {
      const std::string name = std::string("torch.fp32_precision.") + backend_name + "." + op_name;
      header[name] = at::precision2str(context.float32Precision(backend, op));
    }
  }
  header["torch.allow_tf32"] =
      yes_no(context.float32Precision(Backend::CUDA, Op::MATMUL) == at::Float32Precision::TF32);
}

void add_flags(Header& header) {
  const at::Context& context = at::globalContext();
  header["torch.deterministic"] = yes_no(context.deterministicAlgorithms());
  header["torch.float32_matmul_precision"] = [&] {
    switch (context.float32MatmulPrecision()) {
      case at::Float32MatmulPrecision::HIGHEST:
        return "highest";
      case at::Float32MatmulPrecision::HIGH:
        return "high";
      default:
        return "medium";
    }
  }();
  add_fp32_precision(context, header);
  header["torch.mkldnn"] = yes_no(context.userEnabledMkldnn());
  header["torch.reduced_precision_fp16"] =
      yes_no(context.allowFP16ReductionCuBLAS() == at::CuBLASReductionOption::AllowReducedPrecisionWithSplitK);
  header["torch.reduced_precision_bf16"] =
      yes_no(context.allowBF16ReductionCuBLAS() == at::CuBLASReductionOption::AllowReducedPrecisionWithSplitK);
}

}  // namespace

Header facts_of_run(const RecorderOptions& options) {
  Header header;
  header["run.threads"] = std::to_string(thread_count());
  header["cpu.features"] = cpu_features();
  header["torch.version"] = torch_version();
  add_flags(header);
  add_capture(header, options);
  for (const char* name : env_names) {
    if (const char* value = std::getenv(name)) header[std::string("env.") + name] = value;
  }
  return header;
}

}  // namespace goldentrace
