#include "checkpoints/safetensors.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "checkpoints/file_kind.h"
#include "checkpoints/mapped_file.h"
#include "checkpoints/safetensors_header.h"
#include "checkpoints/safetensors_layout.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

constexpr std::uint64_t prefix_size = 8;  // the length of the header, little-endian

[[noreturn]] void fail(ErrorCode code, const std::filesystem::path& path, const std::string& what) {
  throw Error(code, what, {.file = path.string(), .record = {}});
}

[[noreturn]] void truncated(const std::filesystem::path& path, std::uint64_t need, std::uint64_t have) {
  fail(ErrorCode::damaged, path,
       "truncated: need " + std::to_string(need) + ", have " + std::to_string(have) + " bytes");
}

// Reads all of `bytes` or throws.
void read_at(int descriptor, const std::filesystem::path& path, std::uint64_t offset, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::pread(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(ErrorCode::input_output, path, std::strerror(errno));
    if (count == 0) fail(ErrorCode::damaged, path, "truncated while it was read at byte " + std::to_string(offset));
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
}

// A first word that cannot be a length: text, or another format.
[[noreturn]] void refuse_foreign(int descriptor, const std::filesystem::path& path, std::uint64_t file_size,
                                 std::uint64_t header_size) {
  std::array<char, 64> head{};
  const auto bytes = std::span(head).first(std::min<std::uint64_t>(head.size(), file_size));
  read_at(descriptor, path, 0, std::as_writable_bytes(bytes));
  const std::string kind = foreign_file_kind(bytes, "safetensors");
  fail(ErrorCode::not_a_trace, path,
       kind.empty() ? "not safetensors (a header of " + std::to_string(header_size) + " bytes)" : kind);
}

std::uint64_t header_size(int descriptor, const std::filesystem::path& path, std::uint64_t file_size) {
  if (file_size < prefix_size) truncated(path, prefix_size, file_size);
  std::array<std::uint8_t, prefix_size> prefix{};
  read_at(descriptor, path, 0, std::as_writable_bytes(std::span(prefix)));
  std::uint64_t size = 0;
  for (std::size_t i = 0; i < prefix_size; ++i) size |= std::uint64_t{prefix[i]} << (8 * i);
  if (size > max_safetensors_header) refuse_foreign(descriptor, path, file_size, size);
  if (size > file_size - prefix_size) truncated(path, prefix_size + size, file_size);
  return size;
}

SafetensorsHeader parse_naming_file(std::string_view json, const std::filesystem::path& path) {
  try {
    return parse_safetensors_header(json);
  } catch (const Error& error) {
    fail(error.code(), path, error.what());
  }
}

}  // namespace

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path) : path_(path) {
  std::uint64_t file_size = 0;
  descriptor_ = FileDescriptor(open_regular_file(path, "a safetensors file", file_size));
  std::string json(header_size(descriptor_.get(), path, file_size), '\0');
  read_at(descriptor_.get(), path, prefix_size, std::as_writable_bytes(std::span(json)));
  SafetensorsHeader header = parse_naming_file(json, path);
  data_start_ = prefix_size + json.size();
  const std::uint64_t need = data_size(header.entries);
  const std::uint64_t have = file_size - data_start_;
  if (need > have) truncated(path, data_start_ + need, file_size);
  if (need < have) fail(ErrorCode::damaged, path, std::to_string(have - need) + " bytes after the last tensor");
  entries_ = std::move(header.entries);
  metadata_ = std::move(header.metadata);
  for (std::size_t i = 0; i < entries_.size(); ++i) index_.emplace(entries_[i].name, i);
}

const SafetensorsEntry* SafetensorsFile::find(std::string_view name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &entries_[found->second];
}

void SafetensorsFile::read(const SafetensorsEntry& entry, std::span<std::byte> bytes) const {
  if (bytes.size() != entry.size) fail(ErrorCode::internal, path_, "buffer of the wrong size for " + entry.name);
  read_at(descriptor_.get(), path_, data_start_ + entry.offset, bytes);
}

}  // namespace goldentrace
