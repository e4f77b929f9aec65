#include "tests/checkpoints/fuzz_targets.h"

#include <array>
#include <cstdlib>
#include <iostream>

#include "checkpoints/hf_index.h"
#include "checkpoints/safetensors_header.h"
#include "checkpoints/safetensors_layout.h"
#include "checkpoints/torch_file.h"
#include "checkpoints/unpickler.h"
#include "checkpoints/zip_directory.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

constexpr std::size_t storage_bytes = 64;

class OneStorage : public StorageSource {
 public:
  std::span<const std::byte> storage(std::string_view key) const override {
    if (key != "0") throw Error(ErrorCode::damaged, "no storage");
    return bytes_;
  }

 private:
  std::array<std::byte, storage_bytes> bytes_{};
};

void require(bool condition, const char* what) {
  if (condition) return;
  std::cerr << what << '\n';
  std::abort();
}

template <typename Body>
void run(const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    require(error.code() != ErrorCode::internal, error.what());
    require(std::string_view(error.what()).find('\n') == std::string_view::npos, "an error of two lines");
  }
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void check_inside(const StridedTensor& view, std::span<const std::byte> storage) {
  if (element_count(view) == 0) return;
  std::int64_t last = 0;
  for (std::size_t i = 0; i < view.shape.size(); ++i) last += (view.shape[i] - 1) * view.strides[i];
  const std::byte* const end = view.data + (last + 1) * static_cast<std::int64_t>(item_size(view.dtype));
  require(view.data >= storage.data() && end <= storage.data() + storage.size(), "a tensor outside its storage");
  std::vector<std::byte> copy(byte_count(view));
  copy_elements(view, copy);
}

void pickle(std::span<const std::byte> bytes) {
  run([&] {
    const OneStorage storage;
    for (const UnknownClass unknown : {UnknownClass::keep_inert, UnknownClass::refuse}) {
      const PickleDocument document = unpickle(bytes, storage, unknown);
      for (const StridedTensor& view : document.tensors) check_inside(view, storage.storage("0"));
      const PickleValue root(document, document.root);
      describe(root);
      each_tensor(root, [](const std::string&, std::size_t) {});
    }
  });
}

void zip(std::span<const std::byte> bytes) {
  run([&] {
    for (const ZipEntry& entry : read_zip_directory(bytes))
      require(entry.offset <= bytes.size() && entry.size <= bytes.size() - entry.offset, "an entry outside the file");
  });
}

void safetensors(std::span<const std::byte> bytes) {
  run([&] {
    const SafetensorsHeader header = parse_safetensors_header(text_of(bytes));
    const std::uint64_t size = data_size(header.entries);
    for (const SafetensorsEntry& entry : header.entries)
      require(entry.offset <= size && entry.size <= size - entry.offset, "a tensor outside the data");
  });
}

void index(std::span<const std::byte> bytes) {
  run([&] {
    for (const auto& [tensor, file] : parse_hf_index(text_of(bytes)))
      require(file.find('/') == std::string::npos, "a file outside the folder");
  });
}

}  // namespace

const std::vector<FuzzTarget>& fuzz_targets() {
  static const std::vector<FuzzTarget> targets{
      {"safetensors", safetensors}, {"pickle", pickle}, {"zip", zip}, {"index", index}};
  return targets;
}

}  // namespace goldentrace
