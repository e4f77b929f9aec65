// The published losses of the gradient-accumulation run, at its full size.
#include <gtest/gtest.h>

#include "models/mlp.h"

namespace goldentrace {
namespace {

TEST(MlpFullSize, PublishedLosses) {
  constexpr double published[] = {1.1098170280456543, 1.1719611883163452, 3.453134536743164, 2.518792152404785,
                                  6.67546272277832,   4.609560012817383,  5.953202247619629, 1.325960636138916};
  const MlpResult result = train_mlp({.variant = MlpVariant::ga_loop, .gradient_accumulation_steps = 8});
  ASSERT_EQ(result.losses.size(), 8u);
  for (int i = 0; i < 8; ++i) EXPECT_NEAR(result.losses[i], published[i], 1e-6 * published[i]) << "step " << i;
  const double row0[] = {-5.2978386878967285, 0.4850582480430603, 1.0150184631347656};
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(result.evaluation[0][i].item<double>(), row0[i], 5e-5);
}

}  // namespace
}  // namespace goldentrace
