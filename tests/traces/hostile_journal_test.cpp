// Journals whose hashes are right and whose entries lie: an error that names the file, never more.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "tests/support/temporary_folder.h"
#include "tests/traces/sample_trace.h"
#include "traces/error.h"
#include "traces/header_text.h"
#include "traces/journal_commit.h"
#include "traces/journal_content.h"
#include "traces/journal_record.h"
#include "traces/journal_writer.h"
#include "traces/recover.h"
#include "traces/trace_reader.h"

namespace goldentrace {
namespace {

using namespace testing_support;

struct Entries {
  Bytes content, record, commit;
};

class HostileJournal : public testing::Test {
 protected:
  HostileJournal() {
    const Bytes payload = random_bytes(1, 48);
    encode_content({.hash = content_hash(payload), .bytes = 48, .shape = {3, 4}, .packed = payload}, good_.content);
    Record record{.id = output_of("layers.0"), .shape = {3, 4}};
    record.fingerprint.hash = content_hash(payload);
    record.fingerprint.sketch.assign(5, 0.5);
    encode_record(0, record, {}, good_.record);
    set_content(good_.record, 0);
    JournalCommit commit{.rows = 1, .steps = 1, .tapes = {to_text(linear_tape("a"))}, .blobs = {"random"}};
    commit.calls = {{.layer = "layers.0", .tape = 0, .random = 0}};
    commit.changes = {{.row = 0, .kind = CallChange::Kind::replayable, .note = "note"}};
    commit.header = to_text(Header{{"model.name", "hostile"}});
    encode_commit(commit, good_.commit);
  }

  // 0: recovered; 1: refused.
  int outcome(const Entries& entries) const {
    {
      JournalWriter writer(file_, {});
      writer.append({format::EntryKind::content, entries.content});
      writer.append({format::EntryKind::record, entries.record});
      writer.append({format::EntryKind::commit, entries.commit});
      writer.keep();
    }
    int code = 0;
    try {
      recover_journal(journal_of(file_));
      TraceReader(file_).verify();
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("run.h5"));
      EXPECT_THAT(error.what(), testing::Not(testing::HasSubstr("\n")));
      code = 1;
    }
    std::filesystem::remove(journal_of(file_));
    std::filesystem::remove(file_);
    return code;
  }

  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "run.h5";
  Entries good_;
};

TEST_F(HostileJournal, TheHonestOneIsRecovered) { EXPECT_EQ(outcome(good_), 0); }

// Every number of every entry: largest, negative, off by one.
TEST_F(HostileJournal, NumbersThatLie) {
  int refused = 0;
  for (Bytes Entries::*entry : {&Entries::content, &Entries::record, &Entries::commit}) {
    for (std::size_t at = 0; at + 4 <= std::min<std::size_t>((good_.*entry).size(), 200); at += 4) {
      for (std::uint32_t value : {0xffffffffu, 0x7fffffffu, 0x00010000u}) {
        Entries bad = good_;
        std::memcpy((bad.*entry).data() + at, &value, sizeof value);
        refused += outcome(bad);
      }
    }
  }
  EXPECT_GT(refused, 100);
}

TEST_F(HostileJournal, EntriesThatAreCutOrLonger) {
  for (Bytes Entries::*entry : {&Entries::content, &Entries::record, &Entries::commit}) {
    for (std::size_t size : {0, 1, 40, 55, 100}) {
      Entries bad = good_;
      (bad.*entry).resize(size);
      EXPECT_EQ(outcome(bad), 1) << size;
    }
    Entries bad = good_;
    (bad.*entry).resize((bad.*entry).size() + 8);
    EXPECT_EQ(outcome(bad), 1);
  }
}

}  // namespace
}  // namespace goldentrace
