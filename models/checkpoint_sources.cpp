#include "models/checkpoint_sources.h"

#include <ATen/ops/empty.h>

#include <cstring>

#include "checkpoints/convert.h"
#include "checkpoints/hf_files.h"
#include "checkpoints/hf_names.h"
#include "checkpoints/megatron_files.h"
#include "checkpoints/row_orders.h"
#include "models/gpt_parameters.h"
#include "models/scalar_types.h"
#include "traces/error.h"
#include "traces/file_status.h"
#include "traces/printable.h"

namespace goldentrace {
namespace {

namespace fs = std::filesystem;

TensorSource source_of(const std::shared_ptr<TensorFile>& file, std::size_t tensor, const std::string& key) {
  const StridedTensor& view = file->tensors()[tensor].view;
  return {.name = key, .dtype = view.dtype, .shape = view.shape, .write = [file, tensor](const ByteSink& sink) {
            file->check(tensor);
            const StridedTensor& data = file->tensors()[tensor].view;
            if (is_contiguous(data)) return sink({data.data, byte_count(data)});
            std::vector<std::byte> bytes(byte_count(data));
            copy_elements(data, bytes);
            sink(bytes);
          }};
}

std::string full_key(GptKind kind, const std::string& key) {
  const bool plain = kind == GptKind::megatron || key == hf_head || key.starts_with(hf_prefix);
  return plain ? key : std::string(hf_prefix) + key;
}

// Tensors as they lie in the files.
CheckpointSources open_own_form(const GptOptions& options) {
  CheckpointSources result;
  std::size_t buffers = 0;
  for (const auto& file : open_hf_files(options.checkpoint, UnknownClass::refuse))
    for (std::size_t i = 0; i < file->tensors().size(); ++i) {
      const std::string& name = file->tensors()[i].name;
      const std::string key = full_key(options.kind, name);
      if (is_mask_buffer(name))
        ++buffers;
      else if (!result.tensors.emplace(key, source_of(file, i, key)).second)
        throw Error(ErrorCode::incomparable, printable(key) + " is there with and without its prefix",
                    {.file = file->path().string(), .record = {}});
    }
  if (buffers > 0)
    result.notes.push_back(std::to_string(buffers) + " mask buffers (attn.bias, attn.masked_bias) dropped");
  return result;
}

bool is_vocabulary(const std::string& key) { return key == "word_embeddings.weight" || key == "head.weight"; }

void pad_vocabulary(StoredParameter& parameter, std::int64_t rows) {
  if (parameter.rows >= rows) return;
  parameter.matrix = [matrix = parameter.matrix, from = parameter.rows, rows] {
    return gather_rows(matrix(), split_vocabulary(from, rows, 1, 0));
  };
  parameter.rows = rows;
}

ReadOptions read_options(const GptOptions& options) {
  ReadOptions read{.heads = head_count(options)};
  if (options.kind == GptKind::megatron) {
    read.groups = options.megatron.num_query_groups;
    read.padding = VocabularyPadding::keep;
  } else {
    read.vocab = token_count(options);
  }
  return read;
}

CheckpointSources open_converted(const GptOptions& options) {
  GptWeights weights = read_checkpoint(options.checkpoint, read_options(options));
  CheckpointSources result{.notes = weights.notes};
  for (auto& [key, parameter] : weights.parameters) {
    if (options.kind == GptKind::megatron && is_vocabulary(key)) pad_vocabulary(parameter, dims_of(options).vocab);
    if (options.kind == GptKind::hf) parameter = gpt2_parameter(key, parameter, weights.shape);
    const std::string own = own_key(options.kind, key);
    result.tensors.emplace(own, source_of(parameter, own));
  }
  return result;
}

}  // namespace

bool needs_conversion(const GptOptions& options) {
  const fs::path& path = options.checkpoint;
  if (!is_there(path))
    throw Error(ErrorCode::not_found, "no such file or folder", {.file = path.string(), .record = {}});
  if (is_megatron_checkpoint(path)) return true;
  return options.kind == GptKind::megatron &&
         is_there((is_folder(path) ? path : path.parent_path()) / "config.json");
}

CheckpointSources open_sources(const GptOptions& options) {
  return needs_conversion(options) ? open_converted(options) : open_own_form(options);
}

at::Tensor read_tensor(const TensorSource& source) {
  const at::Tensor tensor = at::empty(source.shape, *floating_type(source.dtype));
  auto* out = static_cast<std::byte*>(tensor.data_ptr());
  source.write([&](std::span<const std::byte> piece) {
    if (!piece.empty()) std::memcpy(out, piece.data(), piece.size());
    out += piece.size();
  });
  return tensor;
}

}  // namespace goldentrace
