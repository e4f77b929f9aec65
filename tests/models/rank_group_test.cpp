// Ranks as real processes on this machine. Bodies are tests that the processes run (rank_processes.h).
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <thread>

#include "models/rank_mesh.h"
#include "tests/models/rank_processes.h"

namespace goldentrace {
namespace {

using ::testing::HasSubstr;
using testing_support::all_passed;
using testing_support::run_ranks;
using namespace std::chrono_literals;

// A value whose sum depends on the order of additions.
at::Tensor part_of(std::int64_t rank) {
  const double values[] = {1.0, 1e8, -1e8, 3.0};
  return at::full({3, 2}, values[rank], at::kFloat);
}

class RankBody : public ::testing::Test {
 protected:
  RankBody() : link_(*rank_place(), 20s) {}
  RankLink link_;
};

TEST_F(RankBody, DISABLED_SumInOrder) {
  RankMesh mesh(link_, 1);
  const at::Tensor expected = part_of(0).add(part_of(1)).add(part_of(2)).add(part_of(3));
  EXPECT_TRUE(at::equal(mesh.data().sum(part_of(link_.rank()), "the sum"), expected));
  EXPECT_TRUE(at::equal(mesh.data().mean(part_of(link_.rank()), "the mean"), expected.div(4)));
  EXPECT_EQ(mesh.tensor().size(), 1);
  EXPECT_TRUE(at::equal(mesh.tensor().sum(part_of(2), "alone"), part_of(2)));
  link_.leave();
}

TEST_F(RankBody, DISABLED_EveryDtype) {
  RankMesh mesh(link_, 1);
  for (const at::ScalarType dtype : {at::kHalf, at::kBFloat16, at::kDouble, at::kLong}) {
    const at::Tensor mine = at::arange(5, at::kLong).add(link_.rank()).to(dtype);
    const auto parts = mesh.data().gather(mine, "a type");
    for (std::int64_t rank = 0; rank < link_.ranks(); ++rank)
      EXPECT_TRUE(at::equal(parts[static_cast<std::size_t>(rank)], at::arange(5, at::kLong).add(rank).to(dtype)));
  }
  // A view in another order arrives in its own.
  const at::Tensor turned = at::arange(6, at::kFloat).view({2, 3}).t();
  EXPECT_TRUE(at::equal(mesh.data().gather(turned, "a view")[0], turned));
  link_.leave();
}

TEST_F(RankBody, DISABLED_Mesh) {
  RankMesh mesh(link_, 2);
  const auto own = at::full({1}, static_cast<double>(link_.rank()));
  const auto first_of = [&](RankGroup& group) { return group.gather(own, "ranks")[0].item<double>(); };
  EXPECT_EQ(first_of(mesh.tensor()), static_cast<double>(link_.rank() / 2 * 2));
  EXPECT_EQ(first_of(mesh.data()), static_cast<double>(link_.rank() % 2));
  EXPECT_EQ(mesh.tensor().index(), link_.rank() % 2);
  EXPECT_EQ(mesh.data().index(), link_.rank() / 2);
  EXPECT_EQ(link_.of_first("name", "text of " + std::to_string(link_.rank())), "text of 0");
  EXPECT_THROW(RankMesh(link_, 3), Error);
  link_.leave();
}

TEST_F(RankBody, DISABLED_OneIsKilled) {
  RankMesh mesh(link_, 1);
  mesh.data().sum(part_of(0), "the first sum");
  if (link_.rank() == 2) std::raise(SIGKILL);
  try {
    mesh.data().sum(part_of(0), "the second sum");
    ADD_FAILURE() << "nobody was missed";
  } catch (const RankLost& lost) {
    EXPECT_THAT(lost.what(), ::testing::AnyOf(HasSubstr("rank 2 ended before its part of the second sum came"),
                                              HasSubstr("after rank 2 was lost")));
  }
}

TEST(RankBodyAlone, DISABLED_OneIsLate) {
  RankLink link(*rank_place(), 3s);
  RankMesh mesh(link, 1);
  if (link.rank() == 1) return std::this_thread::sleep_for(7s);
  try {
    mesh.data().sum(part_of(0), "the sum");
    ADD_FAILURE() << "nobody was missed";
  } catch (const RankLost& lost) {
    EXPECT_STREQ(lost.what(), "rank 1 did not send its part of the sum within 3 s");
  }
}

TEST(RankBodyAlone, DISABLED_OneNeverComes) {
  const RankPlace place = *rank_place();
  if (place.rank == 1) return;
  try {
    const RankLink link(place, 300ms);
    ADD_FAILURE() << "nobody was missed";
  } catch (const RankLost& lost) {
    EXPECT_STREQ(lost.what(), "rank 1 of 2 did not come within 300 ms");
  }
}

TEST(RankGroup, SumsInTheOrderOfTheRanks) { EXPECT_TRUE(all_passed(run_ranks(4, "RankBody.DISABLED_SumInOrder"))); }
TEST(RankGroup, EveryDtype) { EXPECT_TRUE(all_passed(run_ranks(2, "RankBody.DISABLED_EveryDtype"))); }
TEST(RankGroup, RowsAndColumns) { EXPECT_TRUE(all_passed(run_ranks(4, "RankBody.DISABLED_Mesh"))); }

TEST(RankGroup, AKilledRankIsNamedByTheOthers) {
  const auto outcomes = run_ranks(3, "RankBody.DISABLED_OneIsKilled");
  EXPECT_EQ(outcomes[2].exit_code, 128 + SIGKILL);
  EXPECT_TRUE(all_passed({outcomes[0], outcomes[1]}));
}

TEST(RankGroup, ALateRankIsNamed) { EXPECT_TRUE(all_passed(run_ranks(2, "RankBodyAlone.DISABLED_OneIsLate"))); }
TEST(RankGroup, ARankThatNeverComesIsNamed) {
  EXPECT_TRUE(all_passed(run_ranks(2, "RankBodyAlone.DISABLED_OneNeverComes")));
}

TEST(RankPlace, EnvironmentIsChecked) {
  setenv("RANK", "0", 1);
  setenv("WORLD_SIZE", "2", 1);
  EXPECT_THROW(rank_place(), Error);  // nowhere to meet
  setenv("MASTER_ADDR", "127.0.0.1", 1);
  setenv("MASTER_PORT", "2950x", 1);
  EXPECT_THROW(rank_place(), Error);
  setenv("MASTER_PORT", "29500", 1);
  ASSERT_TRUE(rank_place());
  EXPECT_EQ(rank_place()->port, 29500);
  EXPECT_EQ(rank_place()->local_ranks, 2);
  setenv("RANK", "2", 1);
  EXPECT_THROW(rank_place(), Error);
  for (const char* name : {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"}) unsetenv(name);
  EXPECT_FALSE(rank_place());
}

}  // namespace
}  // namespace goldentrace
