#include "cli/output_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include "cli/output_path.h"
#include "traces/error.h"

namespace goldentrace {

void check_output_file(const std::filesystem::path& path, const std::vector<std::filesystem::path>& read_from) {
  check_output_path(path);
  for (const std::filesystem::path& input : read_from) {
    std::error_code ignored;
    if (std::filesystem::equivalent(path, input, ignored)) {
      throw Error(ErrorCode::usage, "this command reads the file and cannot write there; choose another name",
                  {path.string(), ""});
    }
  }
}

void write_output_file(const std::filesystem::path& path, std::string_view content) {
  std::filesystem::path partial = path;
  partial += ".partial";
  check_output_path(partial);
  std::ofstream file(partial, std::ios::binary | std::ios::trunc);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  std::error_code failed;
  if (file) std::filesystem::rename(partial, path, failed);
  if (file && !failed) return;
  const std::string reason = failed ? failed.message() : std::strerror(errno);
  std::filesystem::remove(partial, failed);
  throw Error(ErrorCode::input_output, "cannot write: " + reason, {path.string(), ""});
}

}  // namespace goldentrace
