#include "models/gpt_data.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/randint.h>
#include <ATen/record_function.h>

#include "models/option_check.h"

namespace goldentrace {
namespace {

void require_int64_matrix(const std::string& name, const at::Tensor& tensor) {
  require(tensor.scalar_type() == at::kLong && tensor.dim() == 2 && tensor.numel() > 0,
          name + " must be int64 of shape [batch, seq], none of them 0");
}

// Calls accept(value) for each element; the first that is refused is named with its place.
void require_each(const std::string& name, const at::Tensor& tensor, auto accept, const std::string& rule) {
  const at::Tensor flat = tensor.contiguous();
  const std::int64_t* values = flat.const_data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < flat.numel(); ++i)
    if (!accept(values[i]))
      require(false, name + "[" + std::to_string(i / flat.size(1)) + ", " + std::to_string(i % flat.size(1)) + "] is " +
                         std::to_string(values[i]) + ", " + rule);
}

void require_companion(const std::string& name, const at::Tensor& tensor, const at::Tensor& ids) {
  require_int64_matrix(name, tensor);
  require(tensor.sizes() == ids.sizes(), name + " must have the shape of ids");
}

void check_labels(const at::Tensor& labels, std::int64_t vocab_size) {
  bool any = false;
  require_each(
      "labels", labels,
      [&](std::int64_t label) {
        any = any || label != ignored_label;
        return label == ignored_label || (label >= 0 && label < vocab_size);
      },
      "neither -100 nor in the vocabulary of " + std::to_string(vocab_size));
  require(any, "labels: all are -100, there is no loss");
}

}  // namespace

void check(const GptBatch& batch, const DataLimits& limits) {
  const at::DisableRecordFunctionGuard unobserved;
  require_int64_matrix("ids", batch.ids);
  require(limits.positions == 0 || batch.ids.size(1) <= limits.positions,
          "a sequence of " + std::to_string(batch.ids.size(1)) + " ids is longer than " + limits.positions_option +
              " " + std::to_string(limits.positions));
  require_each(
      "ids", batch.ids, [&](std::int64_t id) { return id >= 0 && id < limits.tokens; },
      "outside the vocabulary of " + std::to_string(limits.tokens));
  if (batch.mask.defined()) {
    require_companion("mask", batch.mask, batch.ids);
    require_each(
        "mask", batch.mask, [](std::int64_t value) { return value == 0 || value == 1; }, "neither 0 nor 1");
  }
  if (batch.labels.defined()) {
    require_companion("labels", batch.labels, batch.ids);
    check_labels(batch.labels, limits.tokens);
  } else {
    require(batch.ids.size(1) >= 2, "without labels a sequence needs 2 ids: the last has no target");
  }
}

GptBatch with_labels(const GptBatch& batch) {
  const at::DisableRecordFunctionGuard unobserved;
  GptBatch result = batch;
  if (!result.labels.defined())
    result.labels = at::constant_pad_nd(batch.ids.slice(1, 1), {0, 1}, ignored_label).contiguous();
  return result;
}

GptBatch rows_of(const GptBatch& batch, std::int64_t index, std::int64_t parts) {
  const at::DisableRecordFunctionGuard unobserved;
  const auto part = [&](const at::Tensor& table) {
    const std::int64_t rows = table.defined() ? table.size(0) / parts : 0;
    return table.defined() ? table.narrow(0, index * rows, rows) : table;
  };
  return {
      .ids = part(batch.ids), .labels = part(batch.labels), .mask = part(batch.mask), .prefixes = part(batch.prefixes)};
}

std::vector<GptBatch> draw_batches(const GptOptions& options, std::int64_t tokens) {
  const at::DisableRecordFunctionGuard unobserved;
  const at::Generator generator = at::detail::createCPUGenerator(options.seed);
  std::vector<GptBatch> batches;
  for (std::int64_t i = 0; i < options.steps; ++i)
    batches.push_back(
        {.ids = at::randint(tokens, {options.batch_size, options.seq_len}, generator, at::TensorOptions(at::kLong))});
  return batches;
}

}  // namespace goldentrace
