#include "cli/output_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include "cli/output_path.h"
#include "cli/segment_list.h"
#include "traces/error.h"

namespace goldentrace {

namespace {

// What is written first, and renamed when it is whole.
std::filesystem::path partial_of(const std::filesystem::path& path) { return path.string() + ".partial"; }

void check_not_read(const std::filesystem::path& path, const std::filesystem::path& input) {
  for (const std::filesystem::path& written : {path, partial_of(path)}) {
    std::error_code ignored;
    if (!std::filesystem::equivalent(written, input, ignored)) continue;
    throw Error(ErrorCode::usage, "this command reads the file and cannot write there; choose another name",
                {written.string(), ""});
  }
}

}  // namespace

void check_output_file(const std::filesystem::path& path, const std::vector<std::filesystem::path>& read_from) {
  check_output_path(path);
  for (const std::filesystem::path& input : read_from) {
    check_not_read(path, input);
    for (const SegmentFile& segment : segment_files(input)) check_not_read(path, segment.file);
    std::error_code is_no_folder;
    for (const auto& each : std::filesystem::directory_iterator(input, is_no_folder)) check_not_read(path, each.path());
  }
}

void write_output_file(const std::filesystem::path& path, std::string_view content) {
  const std::filesystem::path partial = partial_of(path);
  std::error_code ignored, failed;
  if (std::filesystem::exists(std::filesystem::symlink_status(partial, ignored))) {
    throw Error(ErrorCode::input_output, "is in the way of the output; move or remove it", {partial.string(), ""});
  }
  std::ofstream file(partial, std::ios::binary | std::ios::trunc);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  if (file) std::filesystem::rename(partial, path, failed);
  if (file && !failed) return;
  const std::string reason = failed ? failed.message() : std::strerror(errno);
  std::filesystem::remove(partial, failed);
  throw Error(ErrorCode::input_output, "cannot write: " + reason, {path.string(), ""});
}

}  // namespace goldentrace
