// The central directory of a zip archive, from untrusted bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace goldentrace {

struct ZipEntry {
  std::string_view name;     // borrowed from the archive's bytes
  std::uint64_t header = 0;  // where its local header begins
  std::uint64_t offset = 0;  // where its data begins
  std::uint64_t size = 0;    // bytes; stored, never compressed
  std::uint32_t crc = 0;
};

// Entries in the order of the directory; those of folders are left out. Error(damaged) without a file name for
// anything that does not fit: truncation, compression, encryption, sizes or places outside the archive, headers that
// contradict each other.
std::vector<ZipEntry> read_zip_directory(std::span<const std::byte> archive);

}  // namespace goldentrace
