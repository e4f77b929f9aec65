#include "checkpoints/zip_file.h"

#include <algorithm>
#include <array>
#include <string>

#include "checkpoints/crc32.h"
#include "checkpoints/file_kind.h"
#include "traces/error.h"
#include "traces/printable.h"

namespace goldentrace {
namespace {

constexpr std::string_view local_magic = "PK\x03\x04";
constexpr std::string_view wanted = "a torch.save archive";

std::vector<ZipEntry> read_directory(const MappedFile& file) {
  const std::span<const std::byte> bytes = file.bytes();
  const std::string_view head(reinterpret_cast<const char*>(bytes.data()), std::min<std::size_t>(64, bytes.size()));
  if (!head.starts_with(local_magic) && !local_magic.starts_with(head)) {
    const std::string kind = foreign_file_kind(head, wanted);
    throw Error(ErrorCode::not_a_trace, kind.empty() ? "not " + std::string(wanted) + " (no zip file)" : kind,
                {.file = file.path().string(), .record = {}});
  }
  try {
    return read_zip_directory(bytes);
  } catch (const Error& error) {
    throw Error(error.code(), error.what(), {.file = file.path().string(), .record = {}});
  }
}

}  // namespace

ZipFile::ZipFile(const std::filesystem::path& path)
    : file_(path, std::string(wanted)),
      entries_(read_directory(file_)),
      checked_(std::make_unique<std::atomic<bool>[]>(entries_.size())) {
  for (std::size_t i = 0; i < entries_.size(); ++i) index_.emplace(entries_[i].name, i);
}

const ZipEntry* ZipFile::find(std::string_view name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &entries_[found->second];
}

void ZipFile::check(const ZipEntry& entry) const {
  std::atomic<bool>& checked = checked_[static_cast<std::size_t>(&entry - entries_.data())];
  if (checked) return;
  if (crc32(data(entry)) != entry.crc)
    throw Error(ErrorCode::damaged, "CRC mismatch in " + printable(entry.name),
                {.file = path().string(), .record = {}});
  checked = true;
}

}  // namespace goldentrace
