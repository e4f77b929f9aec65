// Writes zip archives as torch.save does: stored entries, each entry's data at a multiple of 64, zip64 where needed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "checkpoints/sequential_file.h"

namespace goldentrace {

// One thread at a time. The archive is complete after finish(); the file is the caller's.
class ZipWriter {
 public:
  explicit ZipWriter(SequentialFile& file) : file_(file) {}

  void add(const std::string& name, std::span<const std::byte> data);
  // An entry in pieces: begin, write any number of times, end. `size` must be what is written: Error(usage).
  void begin(const std::string& name, std::uint64_t size);
  void write(std::span<const std::byte> data);
  void end();
  void finish();

 private:
  struct Entry {
    std::string name;
    std::uint64_t header = 0, size = 0;
    std::uint32_t crc = 0;
  };
  void append_central(std::string& directory, const Entry& entry) const;
  void append_ends(std::string& directory, std::uint64_t start) const;

  SequentialFile& file_;
  std::vector<Entry> entries_;
  std::uint64_t data_start_ = 0;  // of the entry that is being written
};

}  // namespace goldentrace
