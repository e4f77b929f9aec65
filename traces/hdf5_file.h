// The few things that a trace needs of an HDF5 file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traces/format.h"
#include "traces/hdf5_driver.h"
#include "traces/hdf5_handle.h"

namespace goldentrace {

// A chunked dataset that grows along its first axis. `chunk` has as many sizes as `row` plus one.
struct ChunkedLayout {
  std::string path;
  std::vector<std::uint64_t> row;    // sizes of the axes behind the first
  std::vector<std::uint64_t> chunk;  // sizes of a chunk
  std::size_t item_bytes = 1;        // unit of the byte shuffle
  format::Codec codec = format::Codec::shuffled_zstd;
  int level = 1;
};

class Hdf5Dataset {
 public:
  Hdf5Dataset(Hdf5Handle dataset, DriverTarget& target, std::vector<std::uint64_t> row);

  void grow(std::uint64_t rows);
  // `offset`: of the chunk's first element, one number per axis. Returns the frame's address.
  std::uint64_t write_chunk(std::span<const std::uint64_t> offset, std::span<const std::byte> frame);
  // A frame that lies in the file already.
  void place_chunk(std::span<const std::uint64_t> offset, std::uint64_t address, std::uint64_t bytes);

 private:
  void write(std::span<const std::uint64_t> offset, const std::byte* frame, std::uint64_t bytes);

  Hdf5Handle dataset_;
  DriverTarget* target_;
  std::vector<std::uint64_t> row_;
};

class Hdf5File {
 public:
  // Behind the first block; or, in a file that holds something already, the superblock behind the first block and all
  // else from `begin` on. `file` is borrowed.
  explicit Hdf5File(LockedFile& file, std::uint64_t begin = 0);
  ~Hdf5File();  // without close(): nothing more is written

  Hdf5Dataset create(const ChunkedLayout& layout, const Hdf5Handle& type);
  // One contiguous dataset, uncompressed; without sizes a scalar. Returns the address of its first byte.
  std::uint64_t write(const std::string& path, const Hdf5Handle& type, std::span<const std::uint64_t> sizes,
                      std::span<const std::byte> bytes);
  void set_text(const std::string& path, const char* attribute, std::string_view value);
  void set_number(const std::string& path, const char* attribute, std::uint32_t value);
  void close();  // every dataset must be gone

 private:
  void create_groups(const std::string& path);  // those on the way to a dataset

  LockedFile& file_;
  DriverTarget target_;
  std::set<std::string> groups_;
  Hdf5Handle links_;  // link creation: UTF-8 names
  Hdf5Handle id_;
};

}  // namespace goldentrace
