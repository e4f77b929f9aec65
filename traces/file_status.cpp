#include "traces/file_status.h"

#include <algorithm>
#include <string>
#include <system_error>

#include "traces/error.h"

namespace goldentrace {
namespace {

namespace fs = std::filesystem;

void check(const std::error_code& failure, const fs::path& path, const char* what) {
  if (failure) throw Error(ErrorCode::input_output, what + failure.message(), {.file = path.string(), .record = {}});
}

fs::file_status status_of(const fs::path& path) {
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  // The code is set for a missing file too.
  if (status.type() == fs::file_type::none) check(failure, path, "cannot open: ");
  return status;
}

}  // namespace

bool is_there(const fs::path& path) { return fs::exists(status_of(path)); }
bool is_folder(const fs::path& path) { return fs::is_directory(status_of(path)); }
bool is_file(const fs::path& path) { return fs::is_regular_file(status_of(path)); }

fs::file_time_type changed_at(const fs::path& file) {
  std::error_code failure;
  const fs::file_time_type time = fs::last_write_time(file, failure);
  check(failure, file, "cannot open: ");
  return time;
}

std::uint64_t size_of_file(const fs::path& file) {
  std::error_code failure;
  const std::uintmax_t bytes = fs::file_size(file, failure);
  check(failure, file, "cannot open: ");
  return bytes;
}

fs::path absolute_path(const fs::path& path) {
  std::error_code failure;
  fs::path absolute = fs::absolute(path, failure);
  check(failure, path, "cannot tell the current folder: ");
  return absolute;
}

std::vector<fs::path> entries(const fs::path& folder) {
  std::error_code failure;
  std::vector<fs::path> found;
  for (fs::directory_iterator each(folder, failure); !failure && each != fs::directory_iterator();
       each.increment(failure))
    found.push_back(each->path());
  check(failure, folder, "cannot open: ");
  std::ranges::sort(found);
  return found;
}

void make_folder(const fs::path& folder) {
  std::error_code failure;
  fs::create_directory(folder, failure);
  check(failure, folder, "cannot make the folder: ");
}

}  // namespace goldentrace
