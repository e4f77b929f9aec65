#include "cli/delegate.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "traces/error.h"

namespace goldentrace {

std::filesystem::path program_folder() {
  std::error_code failure;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", failure);
  if (failure) throw Error(ErrorCode::internal, "cannot find the folder of this program: " + failure.message());
  return self.parent_path();
}

void become(const std::string& program, const std::vector<std::string>& arguments) {
  const std::string path = program_folder() / program;
  std::vector<char*> pointers{const_cast<char*>(path.c_str())};
  for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  execv(path.c_str(), pointers.data());
  throw Error(errno == ENOENT ? ErrorCode::not_found : ErrorCode::input_output,
              std::string("cannot run the program of this command: ") + std::strerror(errno) +
                  "; build or install goldentrace with LibTorch, so that it lies beside gtrace",
              {path, ""});
}

}  // namespace goldentrace
