#include "cli/scratch_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "traces/error.h"

namespace goldentrace {

ScratchFolder::ScratchFolder() {
  std::error_code failure;
  std::string name = (std::filesystem::temp_directory_path(failure) / "gtrace-XXXXXX").string();
  if (failure || mkdtemp(name.data()) == nullptr) {
    throw Error(ErrorCode::input_output, std::string("cannot make a temporary folder: ") + std::strerror(errno),
                {name, ""});
  }
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace goldentrace
