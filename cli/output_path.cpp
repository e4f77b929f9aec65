#include "cli/output_path.h"

#include "traces/error.h"

namespace goldentrace {
namespace {

namespace fs = std::filesystem;

std::string kind(fs::file_type type) {
  switch (type) {
    case fs::file_type::directory:
      return "a folder";
    case fs::file_type::character:
      return "a device";
    case fs::file_type::block:
      return "a device";
    case fs::file_type::fifo:
      return "a pipe";
    case fs::file_type::socket:
      return "a socket";
    default:
      return "no regular file";
  }
}

}  // namespace

std::string special_kind(const fs::path& path) {
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  return fs::exists(status) && !fs::is_regular_file(status) ? kind(status.type()) : "";
}

void check_output_path(const fs::path& path) {
  if (path.empty()) throw Error(ErrorCode::usage, "the output path is empty");
  if (const std::string kind = special_kind(path); !kind.empty()) {
    throw Error(ErrorCode::input_output, "is " + kind + "; name a file to write", {path.string(), ""});
  }
  std::error_code failure;
  if (fs::status(path, failure).type() == fs::file_type::none) {
    throw Error(ErrorCode::input_output, "cannot open: " + failure.message(), {path.string(), ""});
  }
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, failure)) {
    throw Error(ErrorCode::input_output, "the folder " + folder.string() + " does not exist; make it first",
                {path.string(), ""});
  }
}

}  // namespace goldentrace
