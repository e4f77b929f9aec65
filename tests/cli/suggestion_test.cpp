#include "cli/suggestion.h"

#include <gtest/gtest.h>

namespace goldentrace {
namespace {

TEST(Suggestion, NamesWhatIsClose) { EXPECT_EQ(suggestion("wt", {"ln_f", "wte"}), "did you mean wte?"); }

TEST(Suggestion, ListsWhatIsKnownWhenNothingIsNear) {
  EXPECT_EQ(suggestion("zzzzzz", {"ln_f", "wte"}), "known: ln_f, wte");
  const std::vector<std::string> many(20, "wte");
  EXPECT_EQ(suggestion("zzzzzz", many), "known: wte, wte, wte, wte, wte, wte, wte, wte … (20 in all)");
  EXPECT_EQ(suggestion("x", {}), "");
}

}  // namespace
}  // namespace goldentrace
