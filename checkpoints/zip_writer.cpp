#include "checkpoints/zip_writer.h"

#include "checkpoints/crc32.h"
#include "checkpoints/little_endian.h"
#include "checkpoints/zip_format.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

constexpr std::uint16_t oldest_version = 20;
constexpr std::uint16_t first_of_january_1980 = (1 << 5) | 1;  // the format has no "no date"
constexpr std::uint64_t crc_place = 14;                        // in the local header

void put16(std::string& text, std::size_t value) { append_little_endian(text, static_cast<std::uint16_t>(value)); }
void put32(std::string& text, std::uint64_t value) { append_little_endian(text, static_cast<std::uint32_t>(value)); }
void put64(std::string& text, std::uint64_t value) { append_little_endian(text, value); }

bool is_large(std::uint64_t value) { return value >= zip::in_zip64_32; }

std::string zip64_sizes(std::uint64_t size) {
  std::string field;
  if (!is_large(size)) return field;
  put16(field, zip::extra_zip64);
  put16(field, 16);
  put64(field, size);
  put64(field, size);
  return field;
}

// Grows `extra` so that the data of an entry whose header begins at `header` is aligned.
void pad(std::string& extra, std::uint64_t header, std::size_t name_size) {
  const std::uint64_t data = header + zip::local_size + name_size + extra.size() + 4;
  const std::size_t padding = (zip::data_alignment - data % zip::data_alignment) % zip::data_alignment;
  put16(extra, zip::extra_padding);
  put16(extra, padding);
  extra.append(padding, 'Z');
}

// What local and central header share: flags to sizes.
void append_common(std::string& text, std::uint32_t crc, std::uint64_t size, std::size_t name_size,
                   std::size_t extra_size) {
  put16(text, 0);  // flags
  put16(text, zip::method_stored);
  put16(text, 0);  // time
  put16(text, first_of_january_1980);
  put32(text, crc);
  put32(text, is_large(size) ? zip::in_zip64_32 : size);
  put32(text, is_large(size) ? zip::in_zip64_32 : size);
  put16(text, name_size);
  put16(text, extra_size);
}

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

}  // namespace

void ZipWriter::add(const std::string& name, std::span<const std::byte> data) {
  begin(name, data.size());
  write(data);
  end();
}

void ZipWriter::begin(const std::string& name, std::uint64_t size) {
  entries_.push_back({.name = name, .header = file_.position(), .size = size});
  std::string extra = zip64_sizes(size);
  pad(extra, file_.position(), name.size());
  std::string header;
  put32(header, zip::local_signature);
  put16(header, is_large(size) ? zip::version_zip64 : oldest_version);
  append_common(header, 0, size, name.size(), extra.size());
  file_.write(bytes_of(header + name + extra));
  data_start_ = file_.position();
}

void ZipWriter::write(std::span<const std::byte> data) {
  entries_.back().crc = crc32(data, entries_.back().crc);
  file_.write(data);
}

void ZipWriter::end() {
  const Entry& entry = entries_.back();
  if (file_.position() - data_start_ != entry.size) throw Error(ErrorCode::usage, entry.name + ": another size");
  std::string crc;
  put32(crc, entry.crc);
  file_.overwrite(entry.header + crc_place, bytes_of(crc));
}

void ZipWriter::append_central(std::string& directory, const Entry& entry) const {
  const bool far = is_large(entry.header);
  std::string field;
  if (is_large(entry.size)) {
    put64(field, entry.size);
    put64(field, entry.size);
  }
  if (far) put64(field, entry.header);
  std::string extra;
  if (!field.empty()) {
    put16(extra, zip::extra_zip64);
    put16(extra, field.size());
    extra += field;
  }
  put32(directory, zip::central_signature);
  put16(directory, zip::version_zip64);
  put16(directory, extra.empty() ? oldest_version : zip::version_zip64);
  append_common(directory, entry.crc, entry.size, entry.name.size(), extra.size());
  put16(directory, 0);  // comment
  put16(directory, 0);  // disk
  put16(directory, 0);  // internal attributes
  put32(directory, 0);  // external attributes
  put32(directory, far ? zip::in_zip64_32 : entry.header);
  directory += entry.name + extra;
}

void ZipWriter::append_ends(std::string& directory, std::uint64_t start) const {
  const std::uint64_t size = directory.size();
  const bool zip64 = entries_.size() >= zip::in_zip64_16 || is_large(start) || is_large(size);
  if (zip64) {
    put32(directory, zip::end64_signature);
    put64(directory, zip::end64_size - 12);
    put16(directory, zip::version_zip64);
    put16(directory, zip::version_zip64);
    put64(directory, 0);  // disks
    put64(directory, entries_.size());
    put64(directory, entries_.size());
    put64(directory, size);
    put64(directory, start);
    put32(directory, zip::locator64_signature);
    put32(directory, 0);
    put64(directory, start + size);
    put32(directory, 1);
  }
  put32(directory, zip::end_signature);
  put32(directory, 0);  // disks
  put16(directory, zip64 ? zip::in_zip64_16 : entries_.size());
  put16(directory, zip64 ? zip::in_zip64_16 : entries_.size());
  put32(directory, zip64 ? zip::in_zip64_32 : size);
  put32(directory, zip64 ? zip::in_zip64_32 : start);
  put16(directory, 0);  // comment
}

void ZipWriter::finish() {
  const std::uint64_t start = file_.position();
  std::string directory;
  for (const Entry& entry : entries_) append_central(directory, entry);
  append_ends(directory, start);
  file_.write(bytes_of(directory));
}

}  // namespace goldentrace
