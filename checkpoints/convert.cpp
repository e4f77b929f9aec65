#include "checkpoints/convert.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "checkpoints/megatron_files.h"
#include "traces/error.h"
#include "traces/file_status.h"

namespace goldentrace {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(ErrorCode code, const fs::path& path, const std::string& what) {
  throw Error(code, what, {.file = path.string(), .record = {}});
}

fs::path without_slash(const fs::path& path) { return path.has_filename() ? path : path.parent_path(); }

}  // namespace

GptWeights read_checkpoint(const fs::path& path, const ReadOptions& options) {
  if (!is_there(path)) fail(ErrorCode::not_found, path, "no such file or folder");
  return is_megatron_checkpoint(path) ? read_megatron(path, options) : read_hf(path, options);
}

std::uint64_t total_bytes(const GptWeights& weights) {
  std::uint64_t bytes = 0;
  for (const auto& [key, parameter] : weights.parameters)
    bytes += static_cast<std::uint64_t>(parameter.rows * parameter.columns) * item_size(parameter.dtype);
  return bytes;
}

OutputFolder::OutputFolder(const fs::path& target) : target_(without_slash(target)) {
  std::error_code failure;
  const bool present = fs::exists(fs::symlink_status(target_, failure));
  if (present && !is_folder(target_)) fail(ErrorCode::usage, target_, "is there and no folder");
  if (present && !fs::is_empty(target_, failure))
    fail(ErrorCode::usage, target_, "is there and not empty; name a new folder");
  const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  if (!is_folder(folder)) {
    const bool is_there = fs::exists(folder, failure);
    fail(ErrorCode::input_output, target_,
         is_there ? folder.string() + " is no folder"
                  : "the folder " + folder.string() + " does not exist; make it first");
  }
  std::string name = target_.string() + ".partial-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr)
    fail(ErrorCode::input_output, target_, std::string("cannot write: ") + std::strerror(errno));
  temporary_ = name;
  fs::permissions(temporary_, fs::perms(0755), failure);
}

OutputFolder::~OutputFolder() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
}

void OutputFolder::publish() {
  if (::rename(temporary_.c_str(), target_.c_str()) != 0)
    fail(ErrorCode::input_output, target_, std::string("cannot write: ") + std::strerror(errno));
  temporary_.clear();
}

}  // namespace goldentrace
