// model.safetensors.index.json and pytorch_model.bin.index.json: which shard holds which tensor.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace goldentrace {

// Tensor to file name, from untrusted text: {"metadata": {…}, "weight_map": {tensor: file}}. Error(damaged) names the
// field; file names with a path in them are refused. Memory is bounded by a small multiple of the text.
std::map<std::string, std::string> parse_hf_index(std::string_view json);

}  // namespace goldentrace
