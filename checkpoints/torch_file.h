// A file of torch.save (zip format, torch 1.6 and later), read without executing anything.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "checkpoints/pickle_value.h"
#include "checkpoints/unpickler.h"
#include "checkpoints/zip_file.h"

namespace goldentrace {

// Safe from several threads. Tensors lie in the mapped file.
class TorchFile : private StorageSource {
 public:
  // Error, each naming the file: those of ZipFile; damaged (bad pickle, tensor outside its storage, wrong checksum of
  // the pickle); unsupported (unknown class, TorchScript, big-endian).
  explicit TorchFile(const std::filesystem::path& path, UnknownClass unknown = UnknownClass::refuse);

  const std::filesystem::path& path() const { return zip_.path(); }
  PickleValue root() const { return {document_, document_.root}; }
  const PickleDocument& document() const { return document_; }

  // Error(damaged) "CRC mismatch in <entry>" for the storage of this tensor of the document; each storage is read once.
  void check(std::size_t tensor) const { zip_.check(entry(document_.storages[tensor])); }

 private:
  std::span<const std::byte> storage(std::string_view key) const override { return zip_.data(entry(key)); }
  const ZipEntry& entry(std::string_view key) const;
  const ZipEntry& pickle() const;
  void check_archive() const;
  PickleDocument read(UnknownClass unknown);

  ZipFile zip_;
  std::string_view folder_;  // of the archive: "archive/"
  PickleDocument document_;
};

// The tensors below `value` by dotted names ("model.language_model.embedding.word_embeddings.weight"): members of dicts
// and states, elements of lists and tuples by number. `body` gets the tensor's number. Error(damaged) for values nested
// without end.
void each_tensor(const PickleValue& value, const std::function<void(std::string name, std::size_t tensor)>& body);

}  // namespace goldentrace
