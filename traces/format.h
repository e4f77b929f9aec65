// Every name, constant and row of the trace file, shared by writer and reader. docs/FORMAT.md explains them.
// All numbers are little-endian. Rows only grow at their end; names and values never change their meaning.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace goldentrace::format {

static_assert(std::endian::native == std::endian::little, "rows are copied as they are");

inline constexpr std::array<std::uint8_t, 8> magic{0x89, 'G', 'T', 'R', 'A', 'C', 'E', '\n'};
inline constexpr std::array<std::uint8_t, 8> hdf5_signature{0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
inline constexpr std::uint32_t version = 1;
inline constexpr std::string_view name = "goldentrace.trace";
inline constexpr std::string_view partial_suffix = ".partial";

inline constexpr std::uint32_t zstd_filter = 32015;
inline constexpr std::size_t packed_limit = 65536;       // tensors of fewer bytes are packed
inline constexpr std::size_t uncompressed_limit = 4096;  // a table of no more bytes is contiguous
inline constexpr std::size_t stream_chunk = 262144;      // raw bytes of a chunk of a table or a packed dataset
inline constexpr std::size_t tensor_chunk = 1048576;     // most raw bytes of a chunk of a tensor dataset
inline constexpr std::size_t largest_chunk = 16777216;   // readers refuse larger ones
// Readers refuse sizes that no frame could decode to: beyond the first bytes, so many for each byte of the file. Tables
// hold hashes and do not compress that well.
inline constexpr std::uint64_t free_bytes = 64 * 1048576;
inline constexpr std::uint64_t most_ratio = 32768;
inline constexpr std::uint64_t most_table_ratio = 2048;
inline constexpr std::size_t largest_rank = 31;          // HDF5 has 32 axes; tensors of more are packed
inline constexpr std::uint32_t most_dimensions = 64;     // of a tensor; as in PyTorch
inline constexpr std::size_t longest_name = 255;         // bytes of a label in an HDF5 path
inline constexpr std::uint32_t no_dataset = 0xffffffff;  // the record has no payload
inline constexpr std::uint32_t empty = 0xfffffffe;       // the payload has no bytes

// Paths of the sealed tables, without the leading '/'.
inline constexpr std::string_view header = "header";
inline constexpr std::string_view strings_bytes = "strings/bytes";
inline constexpr std::string_view strings_ends = "strings/ends";
inline constexpr std::string_view shapes = "shapes";
inline constexpr std::string_view index = "index";
inline constexpr std::string_view producers = "producers";
inline constexpr std::string_view sketches_float32 = "sketches/float32";
inline constexpr std::string_view sketches_float64 = "sketches/float64";
inline constexpr std::string_view datasets = "datasets";
inline constexpr std::string_view chunks = "chunks";
inline constexpr std::string_view calls = "calls";
inline constexpr std::string_view tapes_bytes = "tapes/bytes";
inline constexpr std::string_view tapes_ends = "tapes/ends";
inline constexpr std::string_view blobs_bytes = "blobs/bytes";
inline constexpr std::string_view blobs_ends = "blobs/ends";

inline constexpr std::string_view seal_tables = "/seal/tables";
inline constexpr std::string_view seal_chunks = "/seal/chunks";
inline constexpr std::string_view tensors = "/tensors/";
inline constexpr std::string_view packed = "/packed/";
inline constexpr std::string_view header_title = "goldentrace.header/1\n";

enum class Codec : std::uint8_t { raw = 0, shuffled_zstd = 1 };
enum class DatasetKind : std::uint8_t { packed = 0, tensor = 1 };
enum class SketchTable : std::uint32_t { none = 0, float32 = 1, float64 = 2, payload = 3 };

inline constexpr std::uint8_t flag_external = 1;
inline constexpr std::uint8_t flag_declared = 2;
inline constexpr std::uint8_t flag_dropped = 4;

// The first 512 bytes of the file, in front of the HDF5 superblock.
struct FirstBlock {
  std::array<std::uint8_t, 8> magic{};
  std::uint32_t version = 0;
  std::uint32_t block_bytes = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t tables_address = 0, tables_rows = 0;
  std::uint64_t chunks_address = 0, chunks_rows = 0;
  std::uint64_t tables_low = 0, tables_high = 0;  // content hash of /seal/tables
  std::uint64_t chunks_low = 0, chunks_high = 0;  // content hash of /seal/chunks
  std::uint64_t rest_low = 0, rest_high = 0;      // content hash of all bytes that belong to nothing else
  std::array<std::uint8_t, 392> reserved{};
  std::uint64_t block_low = 0, block_high = 0;  // XXH3-128 of the 496 bytes before
};
inline constexpr std::size_t hashed_block_bytes = 496;

struct TableRow {
  std::array<char, 24> name{};
  std::uint64_t rows = 0;
  std::uint64_t chunk_rows = 0;
  std::uint64_t first_chunk = 0;
  std::uint64_t chunk_count = 0;
  std::uint32_t row_bytes = 0;
  std::uint32_t codec = 0;
  std::uint64_t low = 0, high = 0;  // content hash of the rows
};

struct ChunkRow {
  std::uint64_t address = 0;        // from the start of the file
  std::uint64_t bytes = 0;          // as stored
  std::uint64_t low = 0, high = 0;  // XXH3-128 of the stored bytes
};

struct DatasetRow {
  std::uint32_t path = 0;  // string
  std::uint8_t dtype = 0;
  std::uint8_t kind = 0;
  std::uint8_t codec = 0;
  std::uint8_t reserved = 0;
  std::uint64_t rows = 0;                   // packed: elements
  std::uint32_t shape = 0, dimensions = 0;  // of one row, in /shapes; packed: none
  std::uint32_t split_axis = 0;             // the axis of a row that chunks cut; axes before it count one by one
  std::uint32_t reserved_too = 0;
  std::uint64_t split = 0;  // sizes of that axis in one chunk
  std::uint64_t chunk_bytes = 0;
  std::uint64_t first_chunk = 0, chunk_count = 0;  // in /chunks, row-major
};

struct IndexRow {
  std::int64_t step = 0, micro = 0;
  std::int32_t rank = 0;
  std::uint32_t layer = 0;  // string
  std::int32_t call = 0;
  std::uint32_t index = 0;  // string
  std::int32_t position = 0;
  std::uint8_t pass = 0, role = 0, dtype = 0, flags = 0;
  std::uint32_t shape = 0, dimensions = 0;  // in /shapes
  std::uint64_t producers = 0;              // first in /producers
  std::uint32_t producer_count = 0;
  std::uint32_t dataset = no_dataset;
  std::uint64_t row = 0;     // of the dataset; packed: first element
  std::uint64_t sketch = 0;  // first element in its table
  std::uint32_t sketch_count = 0, sketch_table = 0;
  std::uint64_t low = 0, high = 0;  // content hash
  double min = 0, max = 0, mean = 0, l2 = 0;
  std::uint64_t nan_count = 0, inf_count = 0, zero_count = 0;
};

struct CallRow {
  std::int64_t step = 0, micro = 0, parent = -1, tape = -1, random = -1;
  std::int32_t rank = 0;
  std::uint32_t layer = 0;  // string
  std::int32_t call = 0;
  std::uint32_t note = 0;  // string
  std::uint8_t pass = 0, replayable = 0;
  std::array<std::uint8_t, 6> reserved{};
};

static_assert(sizeof(FirstBlock) == 512 && sizeof(TableRow) == 80 && sizeof(ChunkRow) == 32);
static_assert(sizeof(DatasetRow) == 64 && sizeof(IndexRow) == 160 && sizeof(CallRow) == 64);
static_assert(std::has_unique_object_representations_v<FirstBlock> &&
              std::has_unique_object_representations_v<TableRow> &&
              std::has_unique_object_representations_v<ChunkRow> &&
              std::has_unique_object_representations_v<DatasetRow> &&
              std::has_unique_object_representations_v<CallRow>);

// Members of a row as HDF5 shows them. `size` of text is its length.
enum class FieldType : std::uint8_t { u8, i32, u32, i64, u64, f64, text };
struct Field {
  const char* name;
  std::size_t offset;
  FieldType type;
  std::size_t size = 0;
};

}  // namespace goldentrace::format
