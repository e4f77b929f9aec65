// Where payloads go when a journal is sealed: packed datasets for small tensors, one dataset per distinct tensor for
// the others, whose frames stay unchanged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "traces/chunk_split.h"
#include "traces/chunked_stream.h"
#include "traces/journal_reader.h"
#include "traces/record.h"

namespace goldentrace {

struct PayloadLocation {
  std::uint32_t dataset = format::no_dataset;
  std::uint64_t row = 0;
};

// Whether the frames of tensors are written, or lie in the file already because it was their journal.
enum class Frames { copied, in_place };

class PayloadStore {
 public:
  PayloadStore(Hdf5File& file, FrameEncoder& encoder, Codec codec, Frames frames);

  // A content that was not stored before, under the name of the first record that has it.
  PayloadLocation store(const RecordId& id, const JournalContent& content, JournalReader& journal);

  void finish();
  // After finish(): the rows of /datasets and /chunks. `number_of` gives the number of a path or of a shape.
  struct Numbers {
    std::function<std::uint32_t(const std::string&)> of_path;
    std::function<std::uint32_t(const Shape&)> of_shape;
  };
  std::vector<format::DatasetRow> dataset_rows(const Numbers& numbers) const;
  std::vector<format::ChunkRow> chunk_rows() const;  // in the order of dataset_rows

 private:
  struct Tensor {
    Shape shape;
    ChunkSplit split;
    std::optional<Hdf5Dataset> dataset;
    std::uint64_t rows = 0;
    std::vector<format::ChunkRow> chunks;
  };
  struct Entry {
    std::string path;  // without the leading '/'
    DType dtype;
    std::optional<ChunkedStream> packed;
    std::optional<Tensor> tensor;
  };
  using TensorKey = std::tuple<std::string, DType, Shape, std::uint64_t>;  // path, split

  PayloadLocation pack(DType dtype, std::span<const std::byte> payload);
  std::uint32_t packed_dataset(DType dtype);
  std::uint32_t tensor_dataset(const RecordId& id, const JournalContent& content);
  std::string free_path(const std::string& path);
  void store_row(Tensor& tensor, const JournalContent& content, JournalReader& journal);

  Hdf5File* file_;
  FrameEncoder* encoder_;
  CodecSettings settings_;
  Frames frames_;
  std::vector<Entry> entries_;
  std::map<DType, std::uint32_t> packed_;
  std::map<TensorKey, std::uint32_t> tensors_;
  std::map<std::string, int> paths_;
};

}  // namespace goldentrace
