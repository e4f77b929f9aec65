// Where payloads go: packed datasets for small tensors, one dataset per distinct tensor for the others. Equal content
// is stored once.
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
#include "traces/record.h"

namespace goldentrace {

struct PayloadLocation {
  std::uint32_t dataset = format::no_dataset;
  std::uint64_t row = 0;
};

class PayloadStore {
 public:
  PayloadStore(Hdf5File& file, FrameEncoder& encoder, int level);

  // `payload` has byte_count(record.shape, record.dtype) bytes; the record's hash says which contents are equal.
  PayloadLocation store(const Record& record, std::span<const std::byte> payload);
  std::optional<PayloadLocation> find(const Record& record) const;  // of equal content; empty when there is none
  std::uint64_t stored_bytes() const;

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
  using Content = std::tuple<Hash128, DType, std::size_t>;
  using TensorKey = std::tuple<std::string, DType, Shape>;

  PayloadLocation pack(DType dtype, std::span<const std::byte> payload);
  PayloadLocation store_row(const Record& record, std::span<const std::byte> payload);
  std::uint32_t packed_dataset(DType dtype);
  std::uint32_t tensor_dataset(const Record& record);
  std::string free_path(const Record& record);
  void write_row(Tensor& tensor, DType dtype, std::span<const std::byte> payload);
  format::Codec codec() const { return level_ > 0 ? format::Codec::shuffled_zstd : format::Codec::raw; }

  Hdf5File* file_;
  FrameEncoder* encoder_;
  int level_;
  std::vector<Entry> entries_;
  std::map<DType, std::uint32_t> packed_;
  std::map<TensorKey, std::uint32_t> tensors_;
  std::map<std::string, int> paths_;
  std::map<Content, PayloadLocation> contents_;
  std::vector<std::byte> padded_;
  std::uint64_t tensor_bytes_ = 0;  // stored
};

}  // namespace goldentrace
