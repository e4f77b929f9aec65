#include "checkpoints/tensor_file.h"

#include <algorithm>
#include <array>
#include <fstream>

#include "checkpoints/safetensors.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

class SafetensorsTensors : public TensorFile {
 public:
  explicit SafetensorsTensors(const std::filesystem::path& path) : header_(path), file_(path, "a safetensors file") {
    const std::uint64_t room =
        file_.bytes().size() - std::min<std::uint64_t>(file_.bytes().size(), header_.data_start());
    for (const SafetensorsEntry& entry : header_.entries()) {
      if (entry.offset > room || room - entry.offset < entry.size)
        throw Error(ErrorCode::damaged, "changed while it was opened", {.file = path.string(), .record = {}});
      tensors_.push_back({entry.name,
                          {.dtype = entry.dtype,
                           .shape = entry.shape,
                           .strides = contiguous_strides(entry.shape),
                           .data = file_.bytes().data() + header_.data_start() + entry.offset}});
    }
  }
  const std::filesystem::path& path() const override { return header_.path(); }
  std::string_view format() const override { return "safetensors"; }
  const std::vector<NamedView>& tensors() const override { return tensors_; }
  void check(std::size_t) const override {}

 private:
  SafetensorsFile header_;
  MappedFile file_;
  std::vector<NamedView> tensors_;
};

class TorchTensors : public TensorFile {
 public:
  TorchTensors(const std::filesystem::path& path, UnknownClass unknown) : file_(path, unknown) {
    try {
      each_tensor(file_.root(), [this](std::string name, std::size_t tensor) {
        tensors_.push_back({std::move(name), file_.document().tensors[tensor]});
        numbers_.push_back(tensor);
      });
    } catch (const Error& error) {
      throw Error(error.code(), error.what(), {.file = path.string(), .record = {}});
    }
  }
  const std::filesystem::path& path() const override { return file_.path(); }
  std::string_view format() const override { return "torch.save"; }
  const std::vector<NamedView>& tensors() const override { return tensors_; }
  void check(std::size_t tensor) const override { file_.check(numbers_[tensor]); }
  const TorchFile* torch() const override { return &file_; }

 private:
  TorchFile file_;
  std::vector<NamedView> tensors_;
  std::vector<std::size_t> numbers_;  // of each tensor, in the document
};

}  // namespace

std::unique_ptr<TensorFile> open_tensor_file(const std::filesystem::path& path, UnknownClass unknown) {
  const bool torch = looks_like_zip(path) || path.extension() == ".pt" || path.extension() == ".pth" ||
                     path.extension() == ".bin" || path.extension() == ".ckpt";
  if (torch) return std::make_unique<TorchTensors>(path, unknown);
  return std::make_unique<SafetensorsTensors>(path);
}

bool looks_like_zip(const std::filesystem::path& path) {
  std::error_code failure;
  if (!std::filesystem::is_regular_file(path, failure)) return false;
  std::array<char, 4> head{};
  std::ifstream(path, std::ios::binary).read(head.data(), head.size());
  return std::string_view(head.data(), head.size()) == std::string_view("PK\x03\x04", 4);
}

}  // namespace goldentrace
