// rewrite_checkpoint FROM TO: reads every tensor of a file and writes it into TO, a .safetensors or torch.save file.
#include <iostream>
#include <vector>

#include "checkpoints/safetensors_writer.h"
#include "checkpoints/tensor_file.h"
#include "checkpoints/torch_writer.h"
#include "traces/error.h"

namespace {

using namespace goldentrace;

TensorSource source_of(const TensorFile& file, std::size_t i) {
  const NamedView& tensor = file.tensors()[i];
  return {
      .name = tensor.name, .dtype = tensor.view.dtype, .shape = tensor.view.shape, .write = [&](const ByteSink& sink) {
        std::vector<std::byte> bytes(byte_count(tensor.view));
        copy_elements(tensor.view, bytes);
        sink(bytes);
      }};
}

void rewrite(const std::filesystem::path& from, const std::filesystem::path& to) {
  const auto file = open_tensor_file(from);
  std::vector<TensorSource> sources;
  for (std::size_t i = 0; i < file->tensors().size(); ++i) {
    file->check(i);
    sources.push_back(source_of(*file, i));
  }
  if (to.extension() == ".safetensors") return write_safetensors_file(to, sources, {});
  TorchDict dict;
  for (TensorSource& source : sources) dict.emplace_back(source.name, source);
  write_torch_file(to, dict);
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 3) return 2;
  rewrite(arguments[1], arguments[2]);
  return 0;
} catch (const goldentrace::Error& error) {
  std::cerr << error.what() << '\n';
  return 2;
}
