// The MLP's shards as real processes against the same shards in one process.
#include <ATen/ops/equal.h>
#include <gtest/gtest.h>

#include "models/mlp.h"
#include "models/rank_mesh.h"
#include "tests/models/rank_processes.h"

namespace goldentrace {
namespace {

using namespace std::chrono_literals;

MlpOptions sharded(std::int64_t shards) {
  return {.variant = MlpVariant::dp, .input_dim = 64, .train_dataset_len = 1024, .shards = shards, .threads = 1};
}

void expect_bits(const MlpResult& actual, const MlpResult& expected) {
  EXPECT_EQ(actual.losses, expected.losses);
  EXPECT_TRUE(at::equal(actual.evaluation, expected.evaluation));
  for (std::size_t i = 0; i < expected.parameters.size(); ++i)
    EXPECT_TRUE(at::equal(actual.parameters[i].tensor, expected.parameters[i].tensor)) << expected.parameters[i].name;
}

TEST(MlpRankBody, DISABLED_SameBits) {
  RankLink link(*rank_place(), 60s);
  RankMesh mesh(link, 1);
  MlpOptions options = sharded(link.ranks());
  const MlpResult alone = train_mlp(options);
  options.ranks = &mesh.data();
  const MlpResult together = train_mlp(options);
  link.leave();
  expect_bits(together, alone);
  ASSERT_EQ(together.micro_losses.size(), 8u);
  EXPECT_EQ(together.micro_losses[0], alone.micro_losses[static_cast<std::size_t>(link.rank())]);
}

TEST(MlpRanks, ProcessesGiveTheBitsOfOneProcess) {
  for (const std::int64_t ranks : {2, 4})
    EXPECT_TRUE(testing_support::all_passed(testing_support::run_ranks(ranks, "MlpRankBody.DISABLED_SameBits")));
}

}  // namespace
}  // namespace goldentrace
