#include "checkpoints/zip_directory.h"

#include <algorithm>
#include <string>

#include "checkpoints/little_endian.h"
#include "checkpoints/zip_format.h"
#include "traces/error.h"
#include "traces/printable.h"

namespace goldentrace {
namespace {

using Bytes = std::span<const std::byte>;

struct Directory {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint64_t entries = 0;
};

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::damaged, what); }

[[noreturn]] void refuse(std::string_view entry, const std::string& what) {
  refuse("entry " + printable(entry.substr(0, 200)) + ": " + what);
}

template <typename T>
T number_at(Bytes bytes, std::uint64_t at) {
  if (at > bytes.size() || bytes.size() - at < sizeof(T)) refuse("truncated inside a header");
  return read_little_endian<T>(bytes.subspan(at));
}

std::string_view text_at(Bytes bytes, std::uint64_t at, std::size_t size) {
  if (at > bytes.size() || bytes.size() - at < size) refuse("truncated inside a name");
  return {reinterpret_cast<const char*>(bytes.data()) + at, size};
}

// Where the end record begins: the last place where signature and length of the comment fit the end of the file.
std::uint64_t find_end(Bytes archive) {
  if (archive.size() >= zip::end_size) {
    const std::uint64_t last = archive.size() - zip::end_size;
    const std::uint64_t first = last - std::min<std::uint64_t>(last, zip::longest_comment);
    for (std::uint64_t at = last + 1; at-- > first;) {
      if (number_at<std::uint32_t>(archive, at) == zip::end_signature &&
          number_at<std::uint16_t>(archive, at + 20) == archive.size() - at - zip::end_size)
        return at;
    }
  }
  refuse("truncated (" + std::to_string(archive.size()) + " bytes): the zip directory at its end is missing");
}

Directory read_end64(Bytes archive, std::uint64_t end) {
  if (end < zip::locator64_size) refuse("truncated zip64 locator");
  const std::uint64_t locator = end - zip::locator64_size;
  if (number_at<std::uint32_t>(archive, locator) != zip::locator64_signature) refuse("no zip64 locator");
  const auto at = number_at<std::uint64_t>(archive, locator + 8);
  if (at > locator || locator - at < zip::end64_size) refuse("zip64 end record outside the file");
  if (number_at<std::uint32_t>(archive, at) != zip::end64_signature) refuse("no zip64 end record");
  return {.offset = number_at<std::uint64_t>(archive, at + 48),
          .size = number_at<std::uint64_t>(archive, at + 40),
          .entries = number_at<std::uint64_t>(archive, at + 32)};
}

Directory find_directory(Bytes archive) {
  const std::uint64_t end = find_end(archive);
  Directory directory{.offset = number_at<std::uint32_t>(archive, end + 16),
                      .size = number_at<std::uint32_t>(archive, end + 12),
                      .entries = number_at<std::uint16_t>(archive, end + 10)};
  const bool zip64 = directory.offset == zip::in_zip64_32 || directory.size == zip::in_zip64_32 ||
                     directory.entries == zip::in_zip64_16;
  if (zip64) directory = read_end64(archive, end);
  if (directory.size > end || directory.offset > end - directory.size) refuse("zip directory outside the file");
  if (directory.entries > directory.size / zip::central_size) refuse("zip directory too small for its entries");
  return directory;
}

// Takes the 64-bit values that the extra field holds for those that are all ones.
void widen(ZipEntry& entry, std::uint64_t& compressed, Bytes extra) {
  for (std::uint64_t at = 0; extra.size() - at >= 4;) {
    const auto id = number_at<std::uint16_t>(extra, at);
    const auto size = number_at<std::uint16_t>(extra, at + 2);
    at += 4;
    if (extra.size() - at < size) refuse(entry.name, "impossible extra field");
    Bytes field = extra.subspan(at, size);
    at += size;
    if (id != zip::extra_zip64) continue;
    for (std::uint64_t* value : {&entry.size, &compressed, &entry.header}) {
      if (*value != zip::in_zip64_32) continue;
      *value = number_at<std::uint64_t>(field, 0);
      field = field.subspan(8);
    }
  }
}

ZipEntry read_central(Bytes archive, std::uint64_t& at) {
  if (number_at<std::uint32_t>(archive, at) != zip::central_signature)
    refuse("no zip directory entry where one must be");
  const auto name_size = number_at<std::uint16_t>(archive, at + 28);
  const auto extra_size = number_at<std::uint16_t>(archive, at + 30);
  ZipEntry entry{.name = text_at(archive, at + zip::central_size, name_size),
                 .header = number_at<std::uint32_t>(archive, at + 42),
                 .size = number_at<std::uint32_t>(archive, at + 24),
                 .crc = number_at<std::uint32_t>(archive, at + 16)};
  if ((number_at<std::uint16_t>(archive, at + 8) & zip::flag_encrypted) != 0) refuse(entry.name, "is encrypted");
  if (number_at<std::uint16_t>(archive, at + 10) != zip::method_stored)
    refuse(entry.name, "is compressed, as in a TorchScript archive; torch.save stores");
  std::uint64_t compressed = number_at<std::uint32_t>(archive, at + 20);
  text_at(archive, at + zip::central_size + name_size, extra_size);
  widen(entry, compressed, archive.subspan(at + zip::central_size + name_size, extra_size));
  if (compressed != entry.size) refuse(entry.name, "stored size differs from its size");
  at += zip::central_size + name_size + extra_size + number_at<std::uint16_t>(archive, at + 32);
  return entry;
}

void place_data(ZipEntry& entry, Bytes archive, std::uint64_t directory) {
  if (entry.header > directory || directory - entry.header < zip::local_size)
    refuse(entry.name, "its header lies outside the file");
  if (number_at<std::uint32_t>(archive, entry.header) != zip::local_signature)
    refuse(entry.name, "has no local header");
  const auto name_size = number_at<std::uint16_t>(archive, entry.header + 26);
  const auto extra_size = number_at<std::uint16_t>(archive, entry.header + 28);
  entry.offset = entry.header + zip::local_size + name_size + extra_size;
  if (entry.offset > directory || directory - entry.offset < entry.size)
    refuse(entry.name, "needs " + std::to_string(entry.size) + " bytes at " + std::to_string(entry.offset) +
                           ", the data ends at " + std::to_string(directory));
  if (text_at(archive, entry.header + zip::local_size, name_size) != entry.name)
    refuse(entry.name, "its local header has another name");
}

void check_names(const std::vector<ZipEntry>& entries) {
  std::vector<std::string_view> names;
  for (const ZipEntry& entry : entries) names.push_back(entry.name);
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice != names.end()) refuse(*twice, "named twice");
}

}  // namespace

std::vector<ZipEntry> read_zip_directory(std::span<const std::byte> archive) {
  const Directory directory = find_directory(archive);
  const Bytes before_end = archive.first(directory.offset + directory.size);
  std::vector<ZipEntry> entries;
  std::uint64_t at = directory.offset;
  for (std::uint64_t i = 0; i < directory.entries; ++i) {
    ZipEntry entry = read_central(before_end, at);
    place_data(entry, archive, directory.offset);
    if (!entry.name.ends_with('/')) entries.push_back(entry);
  }
  check_names(entries);
  return entries;
}

}  // namespace goldentrace
