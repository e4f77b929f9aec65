#include "traces/sealed_tables.h"

#include <algorithm>
#include <string>

#include "traces/content_hasher.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

[[noreturn]] void refuse(const TraceFile& file, const std::string& what) {
  throw Error(ErrorCode::damaged, "damaged: " + what + "; record again or copy again", {.file = file.path().string()});
}

std::string name_of(const format::TableRow& row) {
  return {row.name.begin(), std::find(row.name.begin(), row.name.end(), '\0')};
}

template <typename Row>
std::vector<Row> load_contiguous(const TraceFile& file, std::uint64_t address, std::uint64_t rows, Hash128 hash) {
  if (rows > file.size() / sizeof(Row)) refuse(file, "/seal is larger than the file");
  std::vector<Row> out(rows);
  const std::span<std::byte> bytes = std::as_writable_bytes(std::span(out));
  if (!bytes.empty()) file.read(address, bytes);
  if (content_hash(bytes) != hash) refuse(file, "the hash of /seal is wrong");
  return out;
}

}  // namespace

SealedTables::SealedTables(const FrameReader& frames) : frames_(frames) {
  load_seal();
  std::uint64_t total = 0;
  for (const format::TableRow& row : tables_) {
    add(row);
    total += found_.back().run.bytes;
  }
  if (total > format::free_bytes + format::most_table_ratio * frames_.file().size()) {
    refuse(frames_.file(), "its tables are said to hold " + std::to_string(total) + " bytes");
  }
}

void SealedTables::load_seal() {
  const TraceFile& file = frames_.file();
  const format::FirstBlock& block = file.first_block();
  tables_ = load_contiguous<format::TableRow>(file, block.tables_address, block.tables_rows,
                                              {block.tables_low, block.tables_high});
  chunks_ = load_contiguous<format::ChunkRow>(file, block.chunks_address, block.chunks_rows,
                                              {block.chunks_low, block.chunks_high});
}

void SealedTables::add(const format::TableRow& row) {
  const TraceFile& file = frames_.file();
  Table table{.row = row, .run = {.name = '/' + name_of(row), .chunks = {}}};
  const bool in_seal = row.first_chunk <= chunks_.size() && row.chunk_count <= chunks_.size() - row.first_chunk;
  const bool known_codec = row.codec <= static_cast<std::uint32_t>(format::Codec::shuffled_zstd);
  std::uint64_t bytes = 0;
  std::uint64_t chunk_bytes = 0;
  if (!in_seal || !known_codec || row.row_bytes == 0 || __builtin_mul_overflow(row.rows, row.row_bytes, &bytes) ||
      __builtin_mul_overflow(row.chunk_rows, row.row_bytes, &chunk_bytes) || bytes > (std::uint64_t{1} << 48)) {
    refuse(file, table.run.name + " is described wrongly");
  }
  table.run.chunks = std::span(chunks_).subspan(row.first_chunk, row.chunk_count);
  table.run.bytes = bytes;
  table.run.chunk_bytes = chunk_bytes;
  table.run.item_bytes = row.row_bytes;
  table.run.codec = static_cast<format::Codec>(row.codec);
  check_run(table.run, file);
  found_.push_back(std::move(table));
}

const SealedTables::Table* SealedTables::find(std::string_view name) const {
  const auto found =
      std::find_if(found_.begin(), found_.end(), [&](const Table& table) { return table.run.name.substr(1) == name; });
  return found == found_.end() ? nullptr : &*found;
}

const FrameRun& SealedTables::run(std::string_view name) const {
  const Table* const table = find(name);
  return table == nullptr ? absent_ : table->run;
}

std::uint64_t SealedTables::row_count(std::string_view name, std::size_t row_bytes) const {
  const Table* const table = find(name);
  if (table == nullptr) return 0;
  if (table->row.row_bytes < row_bytes) refuse(frames_.file(), table->run.name + " has rows that are too short");
  return table->row.rows;
}

void SealedTables::load_rows(std::string_view name, std::size_t row_bytes, std::span<std::byte> out) const {
  const Table* const table = find(name);
  if (table == nullptr) return;
  if (table->row.row_bytes == row_bytes) {
    frames_.read(table->run, 0, out);
    return check_hash(*table, out);
  }
  std::vector<std::byte> wide(table->run.bytes);
  frames_.read(table->run, 0, wide);
  check_hash(*table, wide);
  for (std::uint64_t row = 0; row < table->row.rows; ++row) {
    std::memcpy(out.data() + row * row_bytes, wide.data() + row * table->row.row_bytes, row_bytes);
  }
}

void SealedTables::check_hash(const Table& table, std::span<const std::byte> raw) const {
  if (content_hash(raw) != Hash128{table.row.low, table.row.high}) {
    refuse(frames_.file(), "the hash of " + table.run.name + " is wrong");
  }
}

void SealedTables::verify(const std::function<void(std::uint64_t)>& done) const {
  std::vector<std::byte> raw;
  for (const Table& table : found_) {
    ContentHasher hasher;
    std::uint64_t left = table.run.bytes;
    for (std::size_t chunk = 0; chunk < table.run.chunks.size(); ++chunk) {
      raw.resize(table.run.chunk_bytes);
      frames_.read_chunk(table.run, chunk, raw);
      const std::uint64_t length = std::min(left, table.run.chunk_bytes);
      hasher.append(std::span(raw).first(length));
      left -= length;
      done(table.run.chunks[chunk].bytes);
    }
    if (hasher.finish() != Hash128{table.row.low, table.row.high}) {
      refuse(frames_.file(), "the hash of " + table.run.name + " is wrong");
    }
  }
}

}  // namespace goldentrace
