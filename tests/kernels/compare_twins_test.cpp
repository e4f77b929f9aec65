// The walk of the CUDA kernels' arithmetic on the host finds what compare() finds.
#include "tests/kernels/compare_twins.h"

#include <gtest/gtest.h>

#include <string>

#include "kernels/compare.h"
#include "kernels/host_walk.h"
#include "tests/kernels/forced_set.h"
#include "traces/shuffle.h"

namespace goldentrace {
namespace {

using namespace goldentrace::testing;

TEST(CompareTwins, HostWalkAgreesWithCompare) {
  for (const PairCase& pair : pair_cases()) {
    SCOPED_TRACE(pair.name);
    for (const CompareOptions options :
         {CompareOptions{}, CompareOptions{.nan_same = false, .rtol = 1e-3, .atol = 1e-2},
          CompareOptions{.metrics = Metrics::of_gates}}) {
      expect_same_comparison(compare_by_host_walk(pair.a(), pair.b(), options), compare(pair.a(), pair.b(), options));
    }
  }
}

TEST(CompareTwins, InstructionSetsAgreeInEveryBit) {
  for (const PairCase& pair : pair_cases()) {
    SCOPED_TRACE(pair.name);
    std::vector<Comparison> found;
    for (const InstructionSet set : supported_sets()) {
      const ForcedSet forced(set);
      found.push_back(compare(pair.a(), pair.b(), {.rtol = 1e-3, .atol = 1e-2}));
      EXPECT_TRUE(found.back() == found.front()) << static_cast<int>(set);
    }
  }
}

TEST(ShuffleTwins, HostWalkAgreesWithShuffle) {
  for (const std::size_t item : {1, 2, 3, 4, 8, 16}) {
    const Bytes in = random_bytes(5003, item);
    Bytes expected(in.size()), actual(in.size());
    shuffle(in, item, expected);
    shuffle_by_host_walk(in, item, actual);
    EXPECT_EQ(actual, expected) << item;
  }
}

}  // namespace
}  // namespace goldentrace
