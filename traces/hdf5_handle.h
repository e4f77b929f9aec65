// libhdf5 in one thin layer: handles that close themselves, checked results, one thread at a time, silent.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

namespace goldentrace {

using Hdf5Id = std::int64_t;  // hid_t; libhdf5's header stays in .cpp files

// Debian's libhdf5 is not thread-safe. While a guard lives this thread alone is in the library, and its error stack is
// not printed. Guards nest.
class Hdf5Guard {
 public:
  Hdf5Guard();
  ~Hdf5Guard();
  Hdf5Guard(const Hdf5Guard&) = delete;
  Hdf5Guard& operator=(const Hdf5Guard&) = delete;

 private:
  std::unique_lock<std::recursive_mutex> lock_;
  int (*printer_)(Hdf5Id, void*) = nullptr;
  void* printer_data_ = nullptr;
};

class Hdf5Handle {
 public:
  using Close = int (*)(Hdf5Id);

  Hdf5Handle() = default;
  Hdf5Handle(Hdf5Id id, Close close) : id_(id), close_(close) {}
  ~Hdf5Handle() { reset(); }
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept;

  Hdf5Id id() const { return id_; }
  bool reset();  // closes; false when the library reports an error

 private:
  Hdf5Id id_ = -1;
  Close close_ = nullptr;
};

// Error(internal) when `result` is negative, with libhdf5's innermost message.
std::int64_t hdf5_check(std::int64_t result, const std::string& action);

}  // namespace goldentrace
