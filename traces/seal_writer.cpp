#include "traces/seal_writer.h"

#include <algorithm>
#include <array>

#include "traces/format_fields.h"
#include "traces/hdf5_types.h"

namespace goldentrace {
namespace {

template <typename Row>
std::span<const std::byte> bytes_of(const std::vector<Row>& rows) {
  return std::as_bytes(std::span(rows));
}

}  // namespace

void SealWriter::add(const ChunkedStream& finished) {
  tables_.push_back(finished.table());
  tables_.back().first_chunk = chunks_.size();
  chunks_.insert(chunks_.end(), finished.chunks().begin(), finished.chunks().end());
  add_payload(finished.chunks());
}

void SealWriter::add_header(Hdf5File& file, std::string_view text) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(text));
  const Hdf5Guard guard;
  const std::uint64_t address = file.write('/' + std::string(format::header), text_type(bytes.size()), {}, bytes);
  const Hash128 hash = content_hash(bytes);
  format::TableRow row{.rows = bytes.size(), .chunk_rows = bytes.size(), .first_chunk = chunks_.size()};
  std::copy(format::header.begin(), format::header.end(), row.name.begin());
  row.chunk_count = 1;
  row.row_bytes = 1;
  row.low = hash.low;
  row.high = hash.high;
  tables_.push_back(row);
  chunks_.push_back(chunk_row(address, bytes));
  covered_.push_back({address, bytes.size()});
}

void SealWriter::add_payload(std::span<const format::ChunkRow> chunks) {
  for (const format::ChunkRow& chunk : chunks) covered_.push_back({chunk.address, chunk.bytes});
}

void SealWriter::write_seal(Hdf5File& file) {
  const Hdf5Guard guard;
  const std::array<std::uint64_t, 1> table_count{tables_.size()};
  const std::array<std::uint64_t, 1> chunk_count{chunks_.size()};
  block_.tables_rows = tables_.size();
  block_.tables_address =
      file.write(std::string(format::seal_tables), row_type(format::table_fields, sizeof(format::TableRow)),
                 table_count, bytes_of(tables_));
  block_.chunks_rows = chunks_.size();
  block_.chunks_address =
      file.write(std::string(format::seal_chunks), row_type(format::chunk_fields, sizeof(format::ChunkRow)),
                 chunk_count, bytes_of(chunks_));
  const Hash128 tables_hash = content_hash(bytes_of(tables_));
  const Hash128 chunks_hash = content_hash(bytes_of(chunks_));
  block_.tables_low = tables_hash.low;
  block_.tables_high = tables_hash.high;
  block_.chunks_low = chunks_hash.low;
  block_.chunks_high = chunks_hash.high;
  covered_.push_back({block_.tables_address, bytes_of(tables_).size()});
  covered_.push_back({block_.chunks_address, bytes_of(chunks_).size()});
}

void SealWriter::write_first_block(LockedFile& file) {
  block_.magic = format::magic;
  block_.version = format::version;
  block_.block_bytes = sizeof block_;
  block_.file_bytes = file.size();
  covered_.push_back({0, sizeof block_});
  const ReadBytes read = [&file](std::uint64_t address, std::span<std::byte> bytes) {
    if (!file.read(address, bytes)) file.check();
  };
  const Hash128 rest = hash_of_rest(block_.file_bytes, std::move(covered_), read);
  block_.rest_low = rest.low;
  block_.rest_high = rest.high;
  const std::span<const std::byte> bytes = std::as_bytes(std::span(&block_, 1));
  const Hash128 hash = piece_hash(bytes.first(format::hashed_block_bytes));
  block_.block_low = hash.low;
  block_.block_high = hash.high;
  file.write(0, bytes);
  file.check();
}

}  // namespace goldentrace
