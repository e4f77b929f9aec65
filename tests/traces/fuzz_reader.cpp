// Mutates the bytes of a valid trace with a seeded generator and reads the result: any outcome but an Error or right
// values is a failure. Usage: fuzz_reader [--iterations N] [--seconds N] [--seed N]. On failure the file is kept and
// the command that repeats it is printed.
#include <sys/resource.h>

#include <chrono>
#include <cstring>
#include <exception>
#include <iostream>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/support/file_damage.h"
#include "tests/support/temporary_folder.h"
#include "tests/traces/sample_trace.h"
#include "tests/traces/trace_digest.h"
#include "traces/error.h"
#include "traces/format.h"
#include "traces/hash.h"

namespace goldentrace {
namespace {

using namespace testing_support;

struct Options {
  std::uint64_t iterations = 3000;
  double seconds = 0;  // 0: iterations decide
  std::uint64_t seed = 1;
};

class Mutator {
 public:
  Mutator(const std::string& good, std::uint64_t seed) : good_(good), random_(seed) {}

  struct Mutated {
    std::string bytes;
    bool forged = false;  // with hashes that fit: other values are no failure
  };

  // Kinds 0-3 damage bytes anywhere, the others forge tables and mend every hash above them.
  Mutated next() {
    std::string bytes = good_;
    const std::uint64_t kind = random_() % 8;
    const std::uint64_t count = 1 + random_() % 4;
    for (std::uint64_t i = 0; i < count; ++i) {
      switch (kind) {
        case 0:
          flip(bytes, below(bytes.size()));
          break;
        case 1:
          bytes.resize(below(bytes.size()) + 1);
          break;
        case 2:
          overwrite(bytes, below(bytes.size()));
          break;
        case 3:
          flip(bytes, below(600));
          break;
        default:
          forge(bytes);
      }
    }
    if (kind >= 4) mend(bytes);
    return {std::move(bytes), kind >= 4};
  }

 private:
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }

  void flip(std::string& bytes, std::uint64_t at) {
    if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
  }

  void overwrite(std::string& bytes, std::uint64_t at) {
    constexpr std::uint64_t numbers[]{0,       1, 0xff, 0x7fffffff, 0xffffffff, 0x7fffffffffffffff, 0xffffffffffffffff,
                                      1u << 20};
    const std::uint64_t value = below(2) == 0 ? numbers[below(8)] : random_();
    const std::size_t length = std::min<std::size_t>(std::size_t{1} << below(4), bytes.size() - at);
    std::memcpy(bytes.data() + at, &value, length);
  }

  format::FirstBlock block(const std::string& bytes) const {
    format::FirstBlock out;
    std::memcpy(&out, bytes.data(), sizeof out);
    return out;
  }

  // A number of the seal, or a byte within a table.
  void forge(std::string& bytes) {
    const format::FirstBlock first = block(good_);
    const std::uint64_t tables = first.tables_rows * sizeof(format::TableRow);
    if (below(3) == 0) return overwrite(bytes, first.tables_address + below(tables / 8) * 8);
    const std::uint64_t chunk = first.chunks_address + below(first.chunks_rows) * sizeof(format::ChunkRow);
    if (below(4) == 0) return overwrite(bytes, chunk + below(2) * 8);
    format::ChunkRow row;
    std::memcpy(&row, bytes.data() + chunk, sizeof row);
    if (row.bytes == 0 || row.address >= bytes.size() || row.bytes > bytes.size() - row.address) return;
    overwrite(bytes, row.address + below(row.bytes));
  }

  // Hashes as an attacker would set them. Hashes of compressed tables' rows stay wrong; those of raw ones are mended.
  void mend(std::string& bytes) const {
    format::FirstBlock first = block(good_);  // where things lie; a forgery may have hit the block itself
    const auto view = [&](std::uint64_t address, std::uint64_t length) {
      const bool inside = address <= bytes.size() && length <= bytes.size() - address;
      return std::as_bytes(std::span(bytes)).subspan(inside ? address : 0, inside ? length : 0);
    };
    for (std::uint64_t i = 0; i < first.chunks_rows; ++i) {
      format::ChunkRow row;
      char* const at = bytes.data() + first.chunks_address + i * sizeof row;
      std::memcpy(&row, at, sizeof row);
      const Hash128 hash = piece_hash(view(row.address, row.bytes));
      row.low = hash.low;
      row.high = hash.high;
      std::memcpy(at, &row, sizeof row);
    }
    mend_tables(bytes, first, view);
    const Hash128 tables = content_hash(view(first.tables_address, first.tables_rows * sizeof(format::TableRow)));
    const Hash128 chunks = content_hash(view(first.chunks_address, first.chunks_rows * sizeof(format::ChunkRow)));
    first = block(bytes);
    first.tables_low = tables.low;
    first.tables_high = tables.high;
    first.chunks_low = chunks.low;
    first.chunks_high = chunks.high;
    const Hash128 hash = piece_hash(std::as_bytes(std::span(&first, 1)).first(format::hashed_block_bytes));
    first.block_low = hash.low;
    first.block_high = hash.high;
    std::memcpy(bytes.data(), &first, sizeof first);
  }

  template <typename View>
  void mend_tables(std::string& bytes, const format::FirstBlock& first, const View& view) const {
    for (std::uint64_t i = 0; i < first.tables_rows; ++i) {
      format::TableRow table;
      char* const at = bytes.data() + first.tables_address + i * sizeof table;
      std::memcpy(&table, at, sizeof table);
      if (table.codec != 0 || table.chunk_count != 1 || table.first_chunk >= first.chunks_rows) continue;
      format::ChunkRow chunk;
      std::memcpy(&chunk, bytes.data() + first.chunks_address + table.first_chunk * sizeof chunk, sizeof chunk);
      const Hash128 hash = content_hash(view(chunk.address, chunk.bytes));
      table.low = hash.low;
      table.high = hash.high;
      std::memcpy(at, &table, sizeof table);
    }
  }

  const std::string& good_;
  std::mt19937_64 random_;
};

// Small enough that every table is stored uncompressed, where forged rows can have fitting hashes.
void write_seed(const std::filesystem::path& path) {
  TraceWriter writer(path);
  writer.header() = {{"model.name", "seed"}};
  for (int i = 0; i < 20; ++i) {
    const auto seed = static_cast<std::uint64_t>(i);
    Record record{.id = output_of("layers." + std::to_string(i % 7), i), .dtype = DType::float32, .shape = {2, 3}};
    if (i > 0) record.producers = {i - 1};
    record.fingerprint.hash = content_hash(random_bytes(seed, 24));
    record.fingerprint.sketch.assign(static_cast<std::size_t>(i % 5), 0.5);
    writer.add(record, random_bytes(seed, 24));
  }
  add_record(writer, output_of("large"), DType::bfloat16, {40, 1000}, random_bytes(77, 80000));
  LayerCall call{.layer = "layers.0"};
  call.tape = writer.add_tape(linear_tape("layers.0"));
  call.random = writer.add_blob(random_bytes(5, 100));
  writer.add_call(call);
  writer.close();
}

// An Error is fine, and so are the right values. True when all was read.
bool read_all(const std::filesystem::path& path, const std::optional<Hash128>& wanted) {
  try {
    const TraceReader reader(path);
    const Hash128 digest = digest_of(reader);
    if (wanted && digest != *wanted) throw std::runtime_error("wrong values");
    reader.verify();
    return true;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::internal) throw;
    if (std::string(error.what()).find('\n') != std::string::npos) throw std::runtime_error("an error of two lines");
    return false;
  }
}

// A forged size must not be believed: such an allocation fails here.
void limit_memory() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  const rlimit limit{rlim_t{1} << 30, rlim_t{1} << 30};
  setrlimit(RLIMIT_AS, &limit);
#endif
}

int fuzz(const Options& options) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "run.h5";
  write_seed(file);
  const std::string good = read_file(file);
  const Hash128 digest = digest_of(TraceReader(file));
  limit_memory();
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  std::uint64_t done = 0;
  std::uint64_t accepted = 0;
  for (; options.seconds > 0 ? elapsed() < options.seconds : done < options.iterations; ++done) {
    const std::uint64_t seed = options.seed + done;
    const Mutator::Mutated mutated = Mutator(good, seed).next();
    write_file(file, mutated.bytes);
    try {
      accepted += read_all(file, mutated.forged ? std::nullopt : std::optional(digest)) ? 1 : 0;
    } catch (const std::exception& error) {
      std::cerr << error.what() << "\nrepeat: fuzz_reader --iterations 1 --seed " << seed << '\n';
      return 1;
    }
  }
  std::cout << done << " mutations, " << accepted << " of them whole, in " << elapsed() << " s\n";
  return 0;
}

}  // namespace
}  // namespace goldentrace

int main(int count, char** arguments) {
  goldentrace::Options options;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string name = arguments[i];
    if (name == "--iterations") options.iterations = std::stoull(arguments[i + 1]);
    if (name == "--seconds") options.seconds = std::stod(arguments[i + 1]);
    if (name == "--seed") options.seed = std::stoull(arguments[i + 1]);
  }
  return goldentrace::fuzz(options);
}
