#include "checkpoints/torch_writer.h"

#include "checkpoints/pickle_writer.h"
#include "checkpoints/zip_writer.h"

namespace goldentrace {
namespace {

const std::string folder = "archive/";

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

}  // namespace

void write_torch_file(const std::filesystem::path& path, const TorchDict& content, const TorchProgress& progress) {
  std::vector<const TensorSource*> storages;
  const std::string pickle = pickle_of(content, storages);
  SequentialFile file(path);
  ZipWriter zip(file);
  zip.add(folder + "data.pkl", bytes_of(pickle));
  zip.add(folder + "byteorder", bytes_of("little"));
  std::uint64_t done = 0;
  for (std::size_t i = 0; i < storages.size(); ++i) {
    zip.begin(folder + "data/" + std::to_string(i), byte_count(*storages[i]));
    storages[i]->write([&](std::span<const std::byte> bytes) {
      zip.write(bytes);
      done += bytes.size();
      if (progress) progress(done);
    });
    zip.end();
  }
  zip.add(folder + "version", bytes_of("3\n"));
  zip.finish();
  file.finish();
}

}  // namespace goldentrace
