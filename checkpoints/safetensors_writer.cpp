#include "checkpoints/safetensors_writer.h"

#include <array>
#include <nlohmann/json.hpp>
#include <span>

#include "checkpoints/little_endian.h"
#include "checkpoints/safetensors.h"
#include "checkpoints/safetensors_layout.h"
#include "checkpoints/safetensors_names.h"
#include "checkpoints/sequential_file.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

using Json = nlohmann::ordered_json;
using Sources = std::span<const TensorSource>;

constexpr std::size_t alignment = 8;  // of the first tensor; other writers pad their header so

std::vector<SafetensorsEntry> place(Sources tensors) {
  std::vector<SafetensorsEntry> entries;
  std::uint64_t offset = 0;
  for (const TensorSource& tensor : tensors) {
    const std::uint64_t size = byte_count(tensor);
    entries.push_back(
        {.name = tensor.name, .dtype = tensor.dtype, .shape = tensor.shape, .offset = offset, .size = size});
    offset += size;
  }
  check_layout(entries);
  return entries;
}

std::string header_text(const std::vector<SafetensorsEntry>& entries,
                        const std::map<std::string, std::string>& metadata) {
  Json json;
  if (!metadata.empty()) json["__metadata__"] = metadata;
  for (const SafetensorsEntry& entry : entries) {
    if (safetensors_name(entry.dtype).empty())
      throw Error(ErrorCode::usage, "safetensors cannot hold " + entry.name + " of " + std::string(name(entry.dtype)));
    json[entry.name] = {{"dtype", safetensors_name(entry.dtype)},
                        {"shape", entry.shape},
                        {"data_offsets", {entry.offset, entry.offset + entry.size}}};
  }
  std::string text = json.dump();
  text.resize((text.size() + alignment - 1) / alignment * alignment, ' ');
  return text;
}

std::uint64_t write_tensor(SequentialFile& file, const TensorSource& tensor, std::uint64_t done,
                           const WriteProgress& progress) {
  const std::uint64_t start = file.position();
  tensor.write([&](std::span<const std::byte> bytes) {
    file.write(bytes);
    if (progress) progress(done + file.position() - start);
  });
  const std::uint64_t size = byte_count(tensor);
  if (file.position() - start != size) throw Error(ErrorCode::usage, tensor.name + ": bytes do not fit its shape");
  return done + size;
}

std::uint64_t write_file(const std::filesystem::path& path, Sources tensors,
                         const std::map<std::string, std::string>& metadata, std::uint64_t done,
                         const WriteProgress& progress) {
  const std::string header = header_text(place(tensors), metadata);
  std::vector<std::byte> prefix;
  append_little_endian(prefix, static_cast<std::uint64_t>(header.size()));
  SequentialFile file(path);
  file.write(prefix);
  file.write(std::as_bytes(std::span(header)));
  for (const TensorSource& tensor : tensors) done = write_tensor(file, tensor, done, progress);
  file.finish();
  return done;
}

const std::map<std::string, std::string> torch_metadata{{"format", "pt"}};  // transformers asks for it

// The first tensor of each shard, and the end.
std::vector<std::size_t> shard_bounds(Sources tensors, std::uint64_t shard_bytes) {
  std::vector<std::size_t> bounds{0};
  std::uint64_t filled = 0;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const std::uint64_t size = byte_count(tensors[i]);
    if (filled > 0 && filled + size > shard_bytes) {
      bounds.push_back(i);
      filled = 0;
    }
    filled += size;
  }
  bounds.push_back(tensors.size());
  return bounds;
}

std::string shard_name(std::size_t shard, std::size_t shards) {
  const auto padded = [](std::size_t number) {
    const std::string text = std::to_string(number);
    return std::string(text.size() < 5 ? 5 - text.size() : 0, '0') + text;
  };
  return "model-" + padded(shard + 1) + "-of-" + padded(shards) + ".safetensors";
}

void write_index(const std::filesystem::path& path, const Json& weight_map, std::uint64_t total) {
  const std::string text = Json{{"metadata", {{"total_size", total}}}, {"weight_map", weight_map}}.dump(2) + "\n";
  SequentialFile file(path);
  file.write(std::as_bytes(std::span(text)));
  file.finish();
}

}  // namespace

void write_safetensors_file(const std::filesystem::path& path, const std::vector<TensorSource>& tensors,
                            const WriteProgress& progress) {
  write_file(path, tensors, torch_metadata, 0, progress);
}

void write_sharded_safetensors(const std::filesystem::path& folder, const std::vector<TensorSource>& tensors,
                               std::uint64_t shard_bytes, const WriteProgress& progress) {
  place(tensors);  // equal names in different shards are refused, too
  const std::vector<std::size_t> bounds = shard_bounds(tensors, shard_bytes);
  const std::size_t shards = bounds.size() - 1;
  if (shards == 1) return write_safetensors_file(folder / "model.safetensors", tensors, progress);
  Json weight_map;
  std::uint64_t done = 0;
  for (std::size_t shard = 0; shard < shards; ++shard) {
    const std::string file = shard_name(shard, shards);
    const Sources part = Sources(tensors).subspan(bounds[shard], bounds[shard + 1] - bounds[shard]);
    done = write_file(folder / file, part, torch_metadata, done, progress);
    for (const TensorSource& tensor : part) weight_map[tensor.name] = file;
  }
  write_index(folder / "model.safetensors.index.json", weight_map, done);
}

void write_safetensors(const std::filesystem::path& path, const std::vector<SafetensorsTensor>& tensors,
                       const std::map<std::string, std::string>& metadata) {
  std::vector<TensorSource> sources;
  for (const SafetensorsTensor& tensor : tensors)
    sources.push_back(
        {.name = tensor.name, .dtype = tensor.dtype, .shape = tensor.shape, .write = [&tensor](const ByteSink& sink) {
           sink(tensor.bytes);
         }});
  write_file(path, sources, metadata, 0, {});
}

}  // namespace goldentrace
