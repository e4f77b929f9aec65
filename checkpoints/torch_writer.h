// Writes files that torch.load(weights_only=True) reads: dicts of tensors and plain values.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "checkpoints/tensor_source.h"

namespace goldentrace {

struct TorchValue;
using TorchDict = std::vector<std::pair<std::string, TorchValue>>;  // keeps its order

// None, numbers, text, a tensor (its name is not written) or a dict.
struct TorchValue : std::variant<std::monostate, bool, std::int64_t, double, std::string, TensorSource, TorchDict> {
  using variant::variant;
};

// Bytes of tensors written so far in this call.
using TorchProgress = std::function<void(std::uint64_t done)>;

// Pickle protocol 2 in a zip archive, as torch.save. Appears under its name when it is whole. Error(usage) for a source
// of the wrong size, Error(input_output).
void write_torch_file(const std::filesystem::path& path, const TorchDict& content, const TorchProgress& progress = {});

}  // namespace goldentrace
