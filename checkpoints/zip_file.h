// A zip archive of stored entries, mapped: what torch.save writes. Nothing is copied or inflated.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "checkpoints/mapped_file.h"
#include "checkpoints/zip_directory.h"

namespace goldentrace {

// Safe from several threads. Entry data lives as long as the object.
class ZipFile {
 public:
  // Error: those of open_regular_file; not_a_trace for another kind of file; damaged, naming file and entry.
  explicit ZipFile(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return file_.path(); }
  const std::vector<ZipEntry>& entries() const { return entries_; }
  const ZipEntry* find(std::string_view name) const;  // null when absent
  std::span<const std::byte> data(const ZipEntry& entry) const {
    return file_.bytes().subspan(entry.offset, entry.size);
  }

  // Error(damaged) "CRC mismatch in <entry>". `entry` is one of entries(); it is read once, however often this is
  // called.
  void check(const ZipEntry& entry) const;

 private:
  MappedFile file_;
  std::vector<ZipEntry> entries_;
  std::map<std::string_view, std::size_t> index_;
  std::unique_ptr<std::atomic<bool>[]> checked_;  // one for each entry
};

}  // namespace goldentrace
