#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "checkpoints/safetensors.h"
#include "checkpoints/safetensors_layout.h"
#include "checkpoints/safetensors_names.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

constexpr std::size_t alignment = 8;  // of the first tensor; other writers pad their header so

[[noreturn]] void fail(const std::filesystem::path& path) {
  throw Error(ErrorCode::input_output, std::strerror(errno), {.file = path.string(), .record = {}});
}

void write_all(int descriptor, const std::filesystem::path& path, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(path);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

std::vector<SafetensorsEntry> place(const std::vector<SafetensorsTensor>& tensors) {
  std::vector<SafetensorsEntry> entries;
  std::uint64_t offset = 0;
  for (const SafetensorsTensor& tensor : tensors) {
    SafetensorsEntry entry{.name = tensor.name, .dtype = tensor.dtype};
    place_entry(entry, {reinterpret_cast<const std::uint64_t*>(tensor.shape.data()), tensor.shape.size()}, offset,
                offset + tensor.bytes.size());
    offset += tensor.bytes.size();
    entries.push_back(std::move(entry));
  }
  check_layout(entries);
  return entries;
}

std::string header_text(const std::vector<SafetensorsEntry>& entries,
                        const std::map<std::string, std::string>& metadata) {
  nlohmann::ordered_json json;
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

void refuse_special_file(const std::filesystem::path& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    throw Error(ErrorCode::usage, "exists and is no regular file", {.file = path.string(), .record = {}});
}

// The file under its temporary name; removed again unless it was renamed.
class PartialFile {
 public:
  explicit PartialFile(const std::filesystem::path& path)
      : target_(path),
        partial_(path.string() + ".partial"),
        descriptor_(::open(partial_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
    if (descriptor_.get() < 0) fail(partial_);
  }
  ~PartialFile() {
    if (!renamed_) ::unlink(partial_.c_str());
  }
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  void write(std::span<const std::byte> bytes) { write_all(descriptor_.get(), partial_, bytes); }
  void finish() {
    if (::fsync(descriptor_.get()) != 0 || ::rename(partial_.c_str(), target_.c_str()) != 0) fail(target_);
    renamed_ = true;
  }

 private:
  std::filesystem::path target_, partial_;
  FileDescriptor descriptor_;
  bool renamed_ = false;
};

}  // namespace

void write_safetensors(const std::filesystem::path& path, const std::vector<SafetensorsTensor>& tensors,
                       const std::map<std::string, std::string>& metadata) {
  const std::string header = header_text(place(tensors), metadata);
  refuse_special_file(path);
  std::array<std::byte, 8> prefix{};
  for (std::size_t i = 0; i < prefix.size(); ++i) prefix[i] = static_cast<std::byte>(header.size() >> (8 * i));
  PartialFile file(path);
  file.write(prefix);
  file.write(std::as_bytes(std::span(header)));
  for (const SafetensorsTensor& tensor : tensors) file.write(tensor.bytes);
  file.finish();
}

}  // namespace goldentrace
