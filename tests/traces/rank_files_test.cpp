// The files of a run on several ranks: opened as one trace, in segments too, and what a set that is none is refused
// for.
#include "traces/rank_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/temporary_folder.h"
#include "tests/traces/journal_jobs.h"
#include "traces/error.h"
#include "traces/recover.h"
#include "traces/trace_reader.h"

namespace goldentrace {
namespace {

using namespace testing_support;
namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class RankFiles : public testing::Test {
 protected:
  struct Run {
    std::int64_t ranks = 3;
    std::string id = "0123456789abcdef";
    std::int64_t steps = 1;
    WriterOptions writer;
  };

  static void write_step(TraceWriter& writer, std::int64_t step, std::int64_t rank) {
    for (Job job : jobs_of(step)) {
      job.record.id.rank = static_cast<std::int32_t>(rank);
      writer.reserve();
      put_job(writer, job);
    }
    add_step_call(writer, step);
    writer.commit();
  }
  static void fill(TraceWriter& writer, const Run& run, const std::string& rank, std::int64_t id_rank) {
    writer.header() = {{"model.name", "ranks"}, {"run.id", run.id}, {"ranks", std::to_string(run.ranks)}};
    if (!rank.empty()) writer.header()["rank"] = rank;
    writer.header()["input.x"] = "of rank " + rank;
    for (std::int64_t step = 0; step < run.steps; ++step) write_step(writer, step, id_rank);
  }
  void record(const fs::path& file, const Run& run, const std::string& rank, std::int64_t id_rank) const {
    TraceWriter writer(file, run.writer);
    fill(writer, run, rank, id_rank);
    writer.close();
  }
  void record_rank(std::int64_t rank, const Run& run) const {
    record(rank_path(file_, rank), run, std::to_string(rank), rank);
  }
  void record_all(const Run& run) const {
    for (std::int64_t rank = 0; rank < run.ranks; ++rank) record_rank(rank, run);
  }

  std::string refusal(ErrorCode code) const {
    try {
      TraceReader reader(file_);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code) << error.what();
      return error.what();
    }
    ADD_FAILURE() << "opened";
    return {};
  }

  const TemporaryFolder folder_;
  const fs::path file_ = folder_ / "run.h5";
};

TEST_F(RankFiles, AreOneTraceByTheNameOfTheRun) {
  record_all({});
  const TraceReader run(file_);
  std::int64_t row = 0, tape = 0;
  for (std::int64_t rank = 0; rank < 3; ++rank) {
    const TraceReader alone(rank_path(file_, rank));
    for (std::size_t i = 0; i < alone.records().size(); ++i, ++row) {
      const auto own = static_cast<std::int64_t>(i);
      const Record& record = run.records()[static_cast<std::size_t>(row)];
      ASSERT_EQ(record.id, alone.records()[i].id);
      EXPECT_EQ(run.find(record.id), row);
      std::vector<std::int64_t> producers = alone.records()[i].producers;
      for (std::int64_t& producer : producers) producer += row - own;
      EXPECT_EQ(record.producers, producers);
      ASSERT_EQ(run.has_payload(row), alone.has_payload(own));
      if (run.has_payload(row)) {
        EXPECT_EQ(run.payload(row), alone.payload(own));
      }
      EXPECT_EQ(run.sketch(row), alone.sketch(own));
    }
    for (std::int64_t i = 0; i < alone.tape_count(); ++i, ++tape) EXPECT_EQ(run.tape_text(tape), alone.tape_text(i));
  }
  EXPECT_EQ(row, static_cast<std::int64_t>(run.records().size()));
  EXPECT_EQ(tape, run.tape_count());
  EXPECT_GT(run.calls().size(), TraceReader(rank_path(file_, 0)).calls().size());
  run.verify();
}

TEST_F(RankFiles, TheHeaderSaysWhatAllRanksSayAndTheRestForEachRank) {
  record_all({});
  const Header header = TraceReader(file_).header();
  EXPECT_EQ(header.at("model.name"), "ranks");
  EXPECT_EQ(header.at("ranks"), "3");
  EXPECT_FALSE(header.contains("rank") || header.contains("input.x"));
  EXPECT_EQ(header.at("rank2.input.x"), "of rank 2");
  EXPECT_EQ(TraceReader(rank_path(file_, 1)).header().at("rank"), "1");
}

TEST_F(RankFiles, InSegmentsAreTheSameTrace) {
  record_all({.steps = 3});
  const fs::path whole = folder_ / "whole.h5";
  for (std::int64_t rank = 0; rank < 3; ++rank) fs::rename(rank_path(file_, rank), rank_path(whole, rank));
  record_all({.steps = 3, .writer = {.segment_bytes = 3'000'000}});
  ASSERT_TRUE(fs::exists(folder_ / "run.rank2.0001.h5"));
  const TraceReader a(whole), b(file_);
  ASSERT_EQ(a.records().size(), b.records().size());
  for (std::size_t i = 0; i < a.records().size(); ++i) {
    EXPECT_EQ(a.records()[i].id, b.records()[i].id);
    EXPECT_EQ(a.records()[i].producers, b.records()[i].producers);
    EXPECT_EQ(a.records()[i].fingerprint.hash, b.records()[i].fingerprint.hash);
  }
  b.verify();
  fs::remove(folder_ / "run.rank1.0000.h5");
  EXPECT_THAT(refusal(ErrorCode::not_found), HasSubstr("run.rank1.0000.h5"));
}

TEST_F(RankFiles, AMissingRankIsNamed) {
  record_all({});
  fs::rename(folder_ / "run.rank2.h5", folder_ / "kept");
  EXPECT_THAT(refusal(ErrorCode::not_found), AllOf(HasSubstr("run.rank2.h5"), HasSubstr("missing, one of 3")));
  fs::rename(folder_ / "kept", folder_ / "run.rank2.h5");
  fs::remove(folder_ / "run.rank0.h5");
  EXPECT_THAT(refusal(ErrorCode::not_found), AllOf(HasSubstr("run.rank0.h5"), HasSubstr("missing")));
}

TEST_F(RankFiles, AForeignRankIsNamed) {
  record_all({});
  record_rank(1, {.id = "another"});
  EXPECT_THAT(refusal(ErrorCode::damaged), AllOf(HasSubstr("run.rank1.h5"), HasSubstr("belongs to another run")));
  record_rank(1, {.ranks = 4});
  EXPECT_THAT(refusal(ErrorCode::damaged), AllOf(HasSubstr("run.rank1.h5"), HasSubstr("belongs to another run")));
  record(rank_path(file_, 1), {}, "", 0);
  EXPECT_THAT(refusal(ErrorCode::damaged), AllOf(HasSubstr("run.rank1.h5"), HasSubstr("trace of one process")));
}

TEST_F(RankFiles, TheSameRankTwiceIsRefused) {
  record_all({});
  fs::copy_file(folder_ / "run.rank0.h5", folder_ / "run.rank1.h5", fs::copy_options::overwrite_existing);
  EXPECT_THAT(refusal(ErrorCode::damaged), AllOf(HasSubstr("run.rank1.h5"), HasSubstr("is rank 0 by its header")));
}

TEST_F(RankFiles, MoreFilesThanRanksAreRefused) {
  record_all({.ranks = 2});
  record_rank(2, {.ranks = 3});
  EXPECT_THAT(refusal(ErrorCode::damaged), AllOf(HasSubstr("run.rank2.h5"), HasSubstr("belongs to another run")));
}

TEST_F(RankFiles, RecordsOfAnotherRankAreDamage) {
  record_rank(0, {.ranks = 2});
  record(rank_path(file_, 1), {.ranks = 2}, "1", 0);
  EXPECT_THAT(refusal(ErrorCode::damaged), AllOf(HasSubstr("run.rank1.h5"), HasSubstr("not of rank 1")));
  EXPECT_THROW(TraceReader(rank_path(file_, 1)), Error);
}

TEST_F(RankFiles, NumbersThatCannotBeAreRefused) {
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  for (const auto& [rank, ranks] : Pairs{{"7", "3"},
                                         {"-1", "3"},
                                         {"x", "3"},
                                         {"", "3"},
                                         {"1", "0"},
                                         {"1", "-2"},
                                         {"99999999999", "3"},
                                         {"1", "1e9"}}) {
    EXPECT_THROW(rank_name({{"rank", rank}, {"ranks", ranks}}), Error) << rank << " of " << ranks;
  }
  EXPECT_THROW(rank_name({{"rank", "0"}}), Error);
  EXPECT_FALSE(rank_name({{"ranks", "8"}}));
}

TEST_F(RankFiles, AHugeNumberOfRanksTakesNoMemory) {
  for (std::int64_t rank = 0; rank < 2; ++rank) record_rank(rank, {.ranks = 2'000'000'000});
  EXPECT_THAT(refusal(ErrorCode::not_found), HasSubstr("run.rank2.h5"));
}

TEST_F(RankFiles, OneFileBesideThemIsRefused) {
  record_all({});
  record(file_, {}, "", 0);
  EXPECT_THAT(refusal(ErrorCode::usage), AllOf(HasSubstr("run.h5"), HasSubstr("beside run.rank0.h5")));
}

TEST_F(RankFiles, AFileThatIsOnlyNamedLikeOneIsNotInTheWay) {
  record(file_, {}, "", 0);
  record(rank_path(file_, 0), {}, "", 0);
  EXPECT_NO_THROW(TraceReader{file_});
}

TEST_F(RankFiles, ARankWhoseRecorderDiedIsNamedAndRecovered) {
  const Run run{.ranks = 2};
  record_rank(0, run);
  in_child([&] {
    TraceWriter writer(rank_path(file_, 1), run.writer);
    fill(writer, run, "1", 1);
    _exit(0);
    return 0;
  });
  EXPECT_THAT(refusal(ErrorCode::incomplete), AllOf(HasSubstr("run.rank1.h5.journal"), HasSubstr("gtrace recover")));
  EXPECT_THAT(journals_of(file_), ElementsAre(folder_ / "run.rank1.h5.journal"));
  for (const fs::path& journal : journals_of(file_)) recover_journal(journal);
  EXPECT_EQ(TraceReader(file_).records().size(), 2 * TraceReader(rank_path(file_, 0)).records().size());
}

}  // namespace
}  // namespace goldentrace
