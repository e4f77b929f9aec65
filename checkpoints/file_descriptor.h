// Owns an open POSIX file descriptor.
#pragma once

#include <unistd.h>

#include <utility>

namespace goldentrace {

class FileDescriptor {
 public:
  explicit FileDescriptor(int value = -1) : value_(value) {}
  ~FileDescriptor() {
    if (value_ >= 0) ::close(value_);
  }
  FileDescriptor(FileDescriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }

  int get() const { return value_; }
  int release() { return std::exchange(value_, -1); }  // the caller closes it

 private:
  int value_;
};

}  // namespace goldentrace
