// Files that are cut, flipped, of another version or of another kind: an error that says so, or the right values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "tests/support/child_process.h"
#include "tests/support/file_damage.h"
#include "tests/support/temporary_folder.h"
#include "tests/traces/sample_trace.h"
#include "tests/traces/trace_digest.h"
#include "traces/error.h"
#include "traces/format.h"
#include "traces/recover.h"

namespace goldentrace {
namespace {

using namespace testing_support;
using testing::HasSubstr;
using testing::Not;

// What opening, reading everything and verifying says; nothing when all went well.
struct Outcome {
  bool opened = false;
  bool read = false;
  bool verified = false;
  Hash128 digest;
  std::string message;
  ErrorCode code = ErrorCode::internal;
};

Outcome outcome_of(const std::filesystem::path& path) {
  Outcome outcome;
  try {
    const TraceReader reader(path);
    outcome.opened = true;
    try {
      reader.verify();
      outcome.verified = true;
    } catch (const Error& error) {
      outcome.message = error.what();
      outcome.code = error.code();
    }
    outcome.digest = digest_of(reader);
    outcome.read = true;
  } catch (const Error& error) {
    outcome.message = error.what();
    outcome.code = error.code();
  }
  return outcome;
}

// How the file was sealed: the journal itself, or a copy of what it held.
enum class Way { in_place, copying };

void leave_sample(const std::filesystem::path& file, Way way) {
  if (way == Way::in_place) return write_sample(file);
  in_child([&] {
    write_sample(file, {}, [] { _exit(0); });
    return 0;
  });
  recover_journal(file.string() + ".journal");
}

class Damage : public testing::TestWithParam<Way> {
 protected:
  Damage() {
    leave_sample(file_, GetParam());
    good_ = read_file(file_);
    digest_ = outcome_of(file_).digest;
  }

  Outcome with(const std::string& content) {
    write_file(file_, content);
    return outcome_of(file_);
  }

  // `verify` must find it; reading may only fail or give what was written.
  void expect_found(std::uint64_t at, unsigned char mask, const char* where) {
    flip_byte(file_, at, mask);
    const Outcome outcome = outcome_of(file_);
    flip_byte(file_, at, mask);
    EXPECT_FALSE(outcome.verified) << where << ": flip of " << int{mask} << " at " << at << " goes unnoticed";
    EXPECT_TRUE(!outcome.read || outcome.digest == digest_) << where << ": flip at " << at << " gives wrong values";
    EXPECT_THAT(outcome.message, HasSubstr("run.h5"));
    EXPECT_THAT(outcome.message, Not(HasSubstr("\n")));
  }

  format::FirstBlock first_block() const {
    format::FirstBlock block;
    std::memcpy(&block, good_.data(), sizeof block);
    return block;
  }

  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "run.h5";
  std::string good_;
  Hash128 digest_;
};

INSTANTIATE_TEST_SUITE_P(Ways, Damage, testing::Values(Way::in_place, Way::copying), [](const auto& way) {
  return std::string(way.param == Way::in_place ? "InPlace" : "Copied");
});

TEST_P(Damage, TheUndamagedTraceIsFine) {
  EXPECT_EQ(good_.find("GTEJ") != std::string::npos, GetParam() == Way::in_place);
  const Outcome outcome = outcome_of(file_);
  EXPECT_TRUE(outcome.read && outcome.verified) << outcome.message;
}

TEST_P(Damage, TruncationAnywhereIsNamed) {
  std::set<std::size_t> places{24, 100, 511, 512, 513, 1000, good_.size() - 1};
  for (std::size_t i = 1; i < 60; ++i) places.insert(good_.size() * i / 60);
  for (std::size_t size : places) {
    const Outcome outcome = with(good_.substr(0, size));
    EXPECT_FALSE(outcome.opened);
    EXPECT_EQ(outcome.code, ErrorCode::damaged);
    const std::string wanted = "truncated: " + std::to_string(size) + " of " + std::to_string(good_.size()) + " bytes";
    EXPECT_THAT(outcome.message, HasSubstr(wanted));
  }
}

TEST_P(Damage, OtherFilesAreNoTraces) {
  EXPECT_THAT(with("").message, HasSubstr("run.h5: empty"));
  EXPECT_THAT(with(good_.substr(0, 10)).message, HasSubstr("not a trace (10 bytes)"));
  EXPECT_THAT(with("loss 2.5\nloss 2.4\n").message, HasSubstr("not a trace (18 bytes)"));
  EXPECT_THAT(with(std::string(5000, 'x')).message, HasSubstr("not a trace (5000 bytes)"));
  EXPECT_THAT(with(good_.substr(512)).message, HasSubstr("an HDF5 file, but not a trace"));
  EXPECT_EQ(with("text").code, ErrorCode::not_a_trace);
  const Outcome folder = outcome_of(folder_.path());
  EXPECT_EQ(folder.code, ErrorCode::not_a_trace);
  EXPECT_THAT(folder.message, HasSubstr("is a folder"));
  EXPECT_EQ(outcome_of(folder_ / "other.h5").code, ErrorCode::not_found);
  EXPECT_EQ(outcome_of(file_ / "below.h5").code, ErrorCode::not_found);
  EXPECT_EQ(outcome_of("/dev/null").code, ErrorCode::not_a_trace);
}

TEST_P(Damage, AnotherVersionIsRefusedByNumber) {
  format::FirstBlock block = first_block();
  block.version = 2;
  const Hash128 hash = piece_hash(std::as_bytes(std::span(&block, 1)).first(format::hashed_block_bytes));
  block.block_low = hash.low;
  block.block_high = hash.high;
  overwrite(file_, 0, {reinterpret_cast<const char*>(&block), sizeof block});
  const Outcome outcome = outcome_of(file_);
  EXPECT_EQ(outcome.code, ErrorCode::version);
  EXPECT_THAT(outcome.message, HasSubstr("format version 2; this build reads version 1"));
}

TEST_P(Damage, BytesBehindTheEndAreNamed) {
  EXPECT_THAT(with(good_ + "xyz").message, HasSubstr("3 bytes behind the end"));
}

TEST_P(Damage, FlipsInTheFirstBlock) {
  for (std::size_t at = 0; at < 512; at += 5) expect_found(at, 0x10, "first block");
}

TEST_P(Damage, FlipsInTheSealAndItsTables) {
  const format::FirstBlock block = first_block();
  for (std::size_t i = 0; i < 100; ++i) {
    expect_found(block.tables_address + i * (block.tables_rows * sizeof(format::TableRow)) / 100, 0x04, "/seal/tables");
    expect_found(block.chunks_address + i * (block.chunks_rows * sizeof(format::ChunkRow)) / 100, 0x80, "/seal/chunks");
  }
}

TEST_P(Damage, FlipsInEveryTable) {
  const format::FirstBlock block = first_block();
  for (std::uint64_t i = 0; i < block.tables_rows; ++i) {
    format::TableRow table;
    std::memcpy(&table, good_.data() + block.tables_address + i * sizeof table, sizeof table);
    if (table.chunk_count == 0) continue;
    format::ChunkRow chunk;
    std::memcpy(&chunk, good_.data() + block.chunks_address + table.first_chunk * sizeof chunk, sizeof chunk);
    const std::uint64_t places = std::min<std::uint64_t>(100, chunk.bytes);
    for (std::uint64_t place = 0; place < places; ++place) {
      expect_found(chunk.address + place * chunk.bytes / places, 0x01, table.name.data());
    }
  }
}

// Payload, HDF5's superblock, object headers, B-trees and heaps, and gaps.
TEST_P(Damage, FlipsAnywhere) {
  for (std::size_t i = 0; i < 400; ++i) expect_found(good_.size() * i / 400, 0xff, "anywhere");
  std::size_t structures = 0;
  for (const char* signature : {"TREE", "OHDR", "FRHP", "BTHD", "\x89HDF"}) {
    for (std::size_t at = good_.find(signature); at != std::string::npos; at = good_.find(signature, at + 1)) {
      ++structures;
      for (std::size_t offset : {0, 4, 9, 24, 40, 56}) expect_found(at + offset, 0x02, signature);
    }
  }
  EXPECT_GT(structures, 30u);
}

TEST_P(Damage, AFlippedPayloadByteNamesTheDataset) {
  const std::size_t middle = good_.size() / 2;
  flip_byte(file_, middle);
  const TraceReader reader(file_);
  EXPECT_THAT(outcome_of(file_).message, HasSubstr("run.h5: /tensors/layers."));
  int failures = 0;
  for (std::size_t row = 0; row < reader.records().size(); ++row) {
    try {
      if (reader.has_payload(static_cast<std::int64_t>(row))) reader.payload(static_cast<std::int64_t>(row));
    } catch (const Error&) {
      ++failures;
    }
  }
  EXPECT_EQ(failures, 1);
}

TEST_P(Damage, ProgressEndsAtItsTotal) {
  std::uint64_t last = 0;
  std::uint64_t all = 0;
  TraceReader(file_).verify([&](std::uint64_t done, std::uint64_t total) {
    EXPECT_GE(done, last);
    last = done;
    all = total;
  });
  EXPECT_EQ(last, all);
  EXPECT_GT(all, good_.size());
}

}  // namespace
}  // namespace goldentrace
