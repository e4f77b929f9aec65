// The bytes of one sealed trace: opened, recognised, of the right size and version. libhdf5 takes no part in reading.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "traces/format.h"

namespace goldentrace {

class TraceFile {
 public:
  enum class Naming { as_trace, any };  // any: also a finished trace that its recorder did not rename any more

  // Errors as TraceReader's.
  explicit TraceFile(const std::filesystem::path& path, Naming naming = Naming::as_trace);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::uint64_t size() const { return size_; }
  bool being_rewritten() const { return being_rewritten_; }
  const format::FirstBlock& first_block() const { return block_; }

  // Error(damaged) when the range is not in the file, Error(input_output) when the system refuses. Any thread.
  void read(std::uint64_t address, std::span<std::byte> bytes) const;

 private:
  void open_file(Naming naming);
  void check_first_block();

  std::filesystem::path path_;
  int file_ = -1;
  std::uint64_t size_ = 0;
  bool being_rewritten_ = false;
  format::FirstBlock block_;
};

}  // namespace goldentrace
