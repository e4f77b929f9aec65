// A file of named tensors: .safetensors or torch.save, told apart by its first bytes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "checkpoints/strided_tensor.h"
#include "checkpoints/torch_file.h"

namespace goldentrace {

// Views lie in the mapped file and live as long as the object.
class TensorFile {
 public:
  virtual ~TensorFile() = default;
  virtual const std::filesystem::path& path() const = 0;
  virtual std::string_view format() const = 0;  // "safetensors", "torch.save"
  virtual const std::vector<NamedView>& tensors() const = 0;
  // Error(damaged) when the format has a checksum for the tensor's bytes and it is wrong.
  virtual void check(std::size_t tensor) const = 0;
  // The whole content of a torch.save file; null for other formats.
  virtual const TorchFile* torch() const { return nullptr; }
};

// Error: those of SafetensorsFile and TorchFile.
std::unique_ptr<TensorFile> open_tensor_file(const std::filesystem::path& path,
                                             UnknownClass unknown = UnknownClass::refuse);

// True for a file that begins like a zip archive. False when it cannot be read.
bool looks_like_zip(const std::filesystem::path& path);

}  // namespace goldentrace
