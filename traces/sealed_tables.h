// The tables that /seal names: found, checked and loaded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "traces/format.h"
#include "traces/frame_reader.h"

namespace goldentrace {

class SealedTables {
 public:
  // Checks the hashes of /seal against the first block, and the numbers of every table. The reader outlives this.
  explicit SealedTables(const FrameReader& frames);

  // A table read in parts; an absent one is empty. Lives as long as this.
  const FrameRun& run(std::string_view name) const;
  // All rows, their hash checked. Rows that a later version made longer are cut; Error(damaged) for shorter ones.
  template <typename Row>
  std::vector<Row> load(std::string_view name) const {
    std::vector<Row> rows(row_count(name, sizeof(Row)));
    load_rows(name, sizeof(Row), std::as_writable_bytes(std::span(rows)));
    return rows;
  }
  void verify(const std::function<void(std::uint64_t)>& done) const;  // every table; `done(stored bytes)`

  std::span<const format::TableRow> tables() const { return tables_; }
  std::span<const format::ChunkRow> chunks() const { return chunks_; }

 private:
  struct Table {
    format::TableRow row;
    FrameRun run;
  };

  void load_seal();
  void add(const format::TableRow& row);
  const Table* find(std::string_view name) const;
  std::uint64_t row_count(std::string_view name, std::size_t row_bytes) const;
  void load_rows(std::string_view name, std::size_t row_bytes, std::span<std::byte> out) const;
  void check_hash(const Table& table, std::span<const std::byte> raw) const;

  const FrameReader& frames_;
  std::vector<format::TableRow> tables_;
  std::vector<format::ChunkRow> chunks_;
  std::vector<Table> found_;
  FrameRun absent_;
};

}  // namespace goldentrace
