#include "checkpoints/small_file.h"

#include "checkpoints/mapped_file.h"
#include "checkpoints/sequential_file.h"
#include "traces/error.h"

namespace goldentrace {

std::string read_small_file(const std::filesystem::path& path, std::uint64_t most) {
  const MappedFile file(path, "a text file");
  if (file.bytes().size() > most)
    throw Error(ErrorCode::damaged, "is longer than " + std::to_string(most) + " bytes",
                {.file = path.string(), .record = {}});
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

void write_small_file(const std::filesystem::path& path, const std::string& text) {
  SequentialFile file(path);
  file.write(std::as_bytes(std::span(text)));
  file.finish();
}

}  // namespace goldentrace
