// Reads and writes .safetensors files: a length, a JSON header, raw row-major little-endian tensors.
//
// Readers treat the file as hostile: every size, offset and key is checked before it is believed, and nothing but the
// header (at most 100 MB) is held in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoints/file_descriptor.h"
#include "traces/dtype.h"

namespace goldentrace {

struct SafetensorsEntry {
  std::string name;
  DType dtype = DType::none;
  std::vector<std::int64_t> shape;
  std::uint64_t offset = 0;  // bytes from the first byte after the header
  std::uint64_t size = 0;    // bytes
};

// Movable. Holds the file open.
class SafetensorsFile {
 public:
  // Error: not_found (no such file), not_a_trace (pointer file, HTML, another format), damaged (truncated, impossible
  // header), each naming the file and the tensor or header field.
  explicit SafetensorsFile(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  const std::vector<SafetensorsEntry>& entries() const { return entries_; }  // in header order
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  std::uint64_t data_start() const { return data_start_; }    // byte of the file where offset 0 is
  const SafetensorsEntry* find(std::string_view name) const;  // null when absent; lives as long as the file

  // Fills `bytes`, whose size must be entry.size. Safe from several threads at once.
  void read(const SafetensorsEntry& entry, std::span<std::byte> bytes) const;

 private:
  std::filesystem::path path_;
  FileDescriptor descriptor_;
  std::uint64_t data_start_ = 0;
  std::vector<SafetensorsEntry> entries_;
  std::map<std::string, std::size_t, std::less<>> index_;
  std::map<std::string, std::string> metadata_;
};

// A tensor to write; `bytes` is row-major and borrowed for the call.
struct SafetensorsTensor {
  std::string name;
  DType dtype = DType::none;
  std::vector<std::int64_t> shape;
  std::span<const std::byte> bytes;
};

// Writes beside `path` and renames at the end, so that no half file is ever seen under the name. Tensors keep their
// order. Error(usage) for a size that does not fit its shape or for equal names, Error(input_output) when writing
// fails.
void write_safetensors(const std::filesystem::path& path, const std::vector<SafetensorsTensor>& tensors,
                       const std::map<std::string, std::string>& metadata = {{"format", "pt"}});

}  // namespace goldentrace
