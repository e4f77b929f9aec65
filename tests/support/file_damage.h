// Damages files on purpose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace goldentrace::testing_support {

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// A new file under that name: rewriting one in place makes some file systems wait for the disk.
inline void write_file(const std::filesystem::path& path, const std::string& content) {
  std::filesystem::remove(path);
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

// Inverts bits of one byte. `mask` is not 0.
inline void flip_byte(const std::filesystem::path& path, std::uint64_t at, unsigned char mask = 0xff) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekg(static_cast<std::streamoff>(at));
  const int before = file.get();
  file.seekp(static_cast<std::streamoff>(at));
  file.put(static_cast<char>(before ^ mask));
}

// Leaves the first `bytes` bytes.
inline void cut_tail(const std::filesystem::path& path, std::uint64_t bytes) {
  std::filesystem::resize_file(path, bytes);
}

inline void overwrite(const std::filesystem::path& path, std::uint64_t at, const std::string& bytes) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(at));
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace goldentrace::testing_support
