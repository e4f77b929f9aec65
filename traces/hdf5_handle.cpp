#include "traces/hdf5_handle.h"

#include <hdf5.h>

#include <type_traits>

#include "traces/error.h"

namespace goldentrace {
namespace {

static_assert(std::is_same_v<hid_t, Hdf5Id> && std::is_same_v<herr_t, int>);

std::recursive_mutex& library_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

herr_t keep_innermost(unsigned, const H5E_error2_t* error, void* text) {
  if (error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
  return 0;
}

}  // namespace

Hdf5Guard::Hdf5Guard() : lock_(library_mutex()) {
  H5Eget_auto2(H5E_DEFAULT, &printer_, &printer_data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Hdf5Guard::~Hdf5Guard() { H5Eset_auto2(H5E_DEFAULT, printer_, printer_data_); }

Hdf5Handle& Hdf5Handle::operator=(Hdf5Handle&& other) noexcept {
  if (this != &other) {
    reset();
    id_ = std::exchange(other.id_, -1);
    close_ = other.close_;
  }
  return *this;
}

bool Hdf5Handle::reset() {
  if (id_ < 0) return true;
  const Hdf5Guard guard;
  return close_(std::exchange(id_, -1)) >= 0;
}

std::int64_t hdf5_check(std::int64_t result, const std::string& action) {
  if (result >= 0) return result;
  std::string message;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_innermost, &message);
  throw Error(ErrorCode::internal, "libhdf5 cannot " + action + (message.empty() ? "" : ": " + message));
}

}  // namespace goldentrace
