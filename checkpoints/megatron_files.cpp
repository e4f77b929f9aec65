#include "checkpoints/megatron_files.h"

#include "checkpoints/megatron_classic.h"
#include "checkpoints/megatron_pipe.h"
#include "traces/error.h"

namespace goldentrace {

bool is_megatron_checkpoint(const std::filesystem::path& path) { return pipe_folder(path) || classic_folder(path); }

MegatronFiles open_megatron_files(const std::filesystem::path& path, UnknownClass unknown) {
  if (const auto folder = pipe_folder(path)) return open_pipe(*folder, unknown);
  if (const auto folder = classic_folder(path)) return open_classic(*folder, unknown);
  throw Error(ErrorCode::not_found, "no Megatron checkpoint here", {.file = path.string(), .record = {}});
}

}  // namespace goldentrace
