#include "traces/suggest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace goldentrace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Suggest, CountsEdits) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("h.1.mpl", "h.1.mlp"), 1u);  // a swap
  EXPECT_EQ(edit_distance("abc", ""), 3u);
}

TEST(Suggest, NamesTheClosestFirst) {
  const std::vector<std::string> names{"h.0.mlp", "h.1.attn", "h.1.mlp", "h.1.mlp", "ln_f", "h.1.mlp.act"};
  EXPECT_THAT(closest_names("h.1.mpl", names), ElementsAre("h.1.mlp", "h.0.mlp"));
  EXPECT_THAT(closest_names("act", names), ElementsAre("h.1.mlp.act"));
  EXPECT_THAT(closest_names("something else", names), IsEmpty());
  EXPECT_THAT(closest_names("h.1.mlp", names, 1), ElementsAre("h.1.mlp"));
}

TEST(Suggest, SaysSoInOneLine) {
  const std::vector<std::string> names{"layers.0", "layers.1", "evaluation"};
  EXPECT_EQ(unknown_name("layer", "layer.0", names), "no layer 'layer.0'; closest: layers.0, layers.1");
  EXPECT_EQ(unknown_name("layer", "qqqqqq", names), "no layer 'qqqqqq'");
}

}  // namespace
}  // namespace goldentrace
