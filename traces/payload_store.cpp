#include "traces/payload_store.h"

#include <algorithm>

#include "traces/hdf5_types.h"

namespace goldentrace {
namespace {

// A label as one component of an HDF5 path: no '/', and never "." alone.
std::string path_component(const std::string& label) {
  std::string text = escape_label(label);
  if (text == ".") return "%2E";
  if (text.empty()) return "%";
  if (text.size() <= format::longest_name) return text;
  return text.substr(0, format::longest_name - 33) + '~' + to_hex(content_hash(std::as_bytes(std::span(label))));
}

std::string tensor_path(const RecordId& id) {
  const std::string leaf = std::string(name(id.role)) + '.' + path_component(id.index);
  return std::string(format::tensors.substr(1)) + path_component(id.layer) + '/' + leaf;
}

bool is_stored_as_bytes(DType dtype) { return dtype_class(dtype) == DTypeClass::opaque; }

}  // namespace

PayloadStore::PayloadStore(Hdf5File& file, FrameEncoder& encoder, Codec codec, Frames frames)
    : file_(&file), encoder_(&encoder), settings_(settings_of(codec)), frames_(frames) {}

PayloadLocation PayloadStore::store(const RecordId& id, const JournalContent& content, JournalReader& journal) {
  if (content.kind == format::ContentKind::packed) return pack(content.dtype, content.packed);
  const std::uint32_t number = tensor_dataset(id, content);
  Tensor& tensor = *entries_[number].tensor;
  store_row(tensor, content, journal);
  return {.dataset = number, .row = tensor.rows++};
}

PayloadLocation PayloadStore::pack(DType dtype, std::span<const std::byte> payload) {
  const std::uint32_t number = packed_dataset(dtype);
  ChunkedStream& stream = *entries_[number].packed;
  const std::uint64_t first = stream.rows();
  stream.append(payload);
  return {.dataset = number, .row = first};
}

std::uint32_t PayloadStore::packed_dataset(DType dtype) {
  const auto [found, is_new] = packed_.try_emplace(dtype, static_cast<std::uint32_t>(entries_.size()));
  if (!is_new) return found->second;
  const Hdf5Guard guard;
  const std::string path = std::string(format::packed.substr(1)) + std::string(name(dtype));
  entries_.push_back({.path = path, .dtype = dtype, .packed = std::nullopt, .tensor = std::nullopt});
  entries_.back().packed.emplace(ChunkedStream::Place{file_, encoder_, path, settings_.level}, element_type(dtype),
                                 item_size(dtype), settings_.stored);
  return found->second;
}

// The same name with another shape or dtype gets a number behind it.
std::string PayloadStore::free_path(const std::string& path) {
  const int count = ++paths_[path];
  return count == 1 ? path : path + ';' + std::to_string(count);
}

std::uint32_t PayloadStore::tensor_dataset(const RecordId& id, const JournalContent& content) {
  const std::string path = tensor_path(id);
  const TensorKey key{path, content.dtype, content.shape, content.split};
  const auto [found, is_new] = tensors_.try_emplace(key, static_cast<std::uint32_t>(entries_.size()));
  if (!is_new) return found->second;
  const Hdf5Guard guard;
  const ChunkSplit split = content.chunks();
  ChunkedLayout layout{.path = '/' + free_path(path),
                       .row = {content.shape.begin(), content.shape.end()},
                       .chunk = split.chunk_sizes(),
                       .item_bytes = item_size(content.dtype),
                       .codec = settings_.stored,
                       .level = settings_.level};
  layout.chunk.insert(layout.chunk.begin(), 1);
  entries_.push_back(
      {.path = layout.path.substr(1), .dtype = content.dtype, .packed = std::nullopt, .tensor = std::nullopt});
  entries_.back().tensor.emplace(
      Tensor{content.shape, split, file_->create(layout, element_type(content.dtype)), 0, {}});
  if (is_stored_as_bytes(content.dtype)) file_->set_text(layout.path, "dtype", name(content.dtype));
  return found->second;
}

void PayloadStore::store_row(Tensor& tensor, const JournalContent& content, JournalReader& journal) {
  tensor.dataset->grow(tensor.rows + 1);
  for (std::uint64_t chunk = 0; chunk < content.frames.size(); ++chunk) {
    format::ChunkRow row = content.frames[chunk];
    std::vector<std::uint64_t> offset = tensor.split.chunk_offset(chunk);
    offset.insert(offset.begin(), tensor.rows);
    if (frames_ == Frames::in_place) {
      tensor.dataset->place_chunk(offset, row.address, row.bytes);
    } else {
      row.address = tensor.dataset->write_chunk(offset, journal.frame(row));
    }
    tensor.chunks.push_back(row);
  }
}

void PayloadStore::finish() {
  for (Entry& entry : entries_) {
    if (entry.tensor) entry.tensor->dataset.reset();
    if (!entry.packed) continue;
    entry.packed->finish();
    if (is_stored_as_bytes(entry.dtype)) file_->set_text('/' + entry.path, "dtype", name(entry.dtype));
  }
}

std::vector<format::DatasetRow> PayloadStore::dataset_rows(const Numbers& numbers) const {
  std::vector<format::DatasetRow> rows;
  std::uint64_t first_chunk = 0;
  for (const Entry& entry : entries_) {
    format::DatasetRow row{.path = numbers.of_path(entry.path), .dtype = static_cast<std::uint8_t>(entry.dtype)};
    row.codec = static_cast<std::uint8_t>(entry.packed ? entry.packed->codec() : settings_.stored);
    row.first_chunk = first_chunk;
    if (entry.packed) {
      row.kind = static_cast<std::uint8_t>(format::DatasetKind::packed);
      row.rows = entry.packed->rows();
      row.chunk_bytes = entry.packed->chunk_bytes();
      row.chunk_count = entry.packed->chunks().size();
    } else {
      const Tensor& tensor = *entry.tensor;
      row.kind = static_cast<std::uint8_t>(format::DatasetKind::tensor);
      row.rows = tensor.rows;
      row.shape = numbers.of_shape(tensor.shape);
      row.dimensions = static_cast<std::uint32_t>(tensor.shape.size());
      row.split_axis = tensor.split.axis();
      row.split = tensor.split.size();
      row.chunk_bytes = tensor.split.chunk_bytes();
      row.chunk_count = tensor.chunks.size();
    }
    first_chunk += row.chunk_count;
    rows.push_back(row);
  }
  return rows;
}

std::vector<format::ChunkRow> PayloadStore::chunk_rows() const {
  std::vector<format::ChunkRow> rows;
  for (const Entry& entry : entries_) {
    const std::vector<format::ChunkRow>& chunks = entry.packed ? entry.packed->chunks() : entry.tensor->chunks;
    rows.insert(rows.end(), chunks.begin(), chunks.end());
  }
  return rows;
}

}  // namespace goldentrace
