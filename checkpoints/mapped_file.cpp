#include "checkpoints/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "checkpoints/file_descriptor.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

[[noreturn]] void fail(ErrorCode code, const std::filesystem::path& path, const std::string& what) {
  throw Error(code, what, {.file = path.string(), .record = {}});
}

}  // namespace

int open_regular_file(const std::filesystem::path& path, const std::string& wanted, std::uint64_t& size) {
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0 && errno == ENOENT) fail(ErrorCode::not_found, path, "no such file");
  if (file.get() < 0) fail(ErrorCode::input_output, path, std::string("cannot open: ") + std::strerror(errno));
  struct stat status {};
  if (::fstat(file.get(), &status) != 0)
    fail(ErrorCode::input_output, path, std::string("cannot open: ") + std::strerror(errno));
  if (S_ISDIR(status.st_mode)) fail(ErrorCode::not_a_trace, path, "is a folder, not " + wanted);
  if (!S_ISREG(status.st_mode)) fail(ErrorCode::not_a_trace, path, "is no regular file");
  if (status.st_size == 0) fail(ErrorCode::damaged, path, "empty file");
  size = static_cast<std::uint64_t>(status.st_size);
  return file.release();
}

MappedFile::MappedFile(const std::filesystem::path& path, const std::string& wanted) : path_(path) {
  std::uint64_t size = 0;
  const FileDescriptor file(open_regular_file(path, wanted, size));
  void* const address = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
  if (address == MAP_FAILED) fail(ErrorCode::input_output, path, std::string("cannot open: ") + std::strerror(errno));
  bytes_ = {static_cast<const std::byte*>(address), size};
}

MappedFile::~MappedFile() { ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size()); }

}  // namespace goldentrace
