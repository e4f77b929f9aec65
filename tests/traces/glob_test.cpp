#include "traces/glob.h"

#include <gtest/gtest.h>

#include <string>

namespace goldentrace {
namespace {

TEST(Glob, Matches) {
  const std::pair<const char*, const char*> cases[] = {{"", ""},
                                                       {"*", ""},
                                                       {"*", "h.1.mlp"},
                                                       {"h.*", "h.1.mlp.act"},
                                                       {"*.act", "h.1.mlp.act"},
                                                       {"h.?.mlp", "h.1.mlp"},
                                                       {"h.[01].*", "h.1.mlp"},
                                                       {"h.[0-9]", "h.7"},
                                                       {"h.[!0]", "h.1"},
                                                       {"h.[^0]", "h.1"},
                                                       {"a*b*c", "aXbXbXc"},
                                                       {"**", "x"},
                                                       {"[]]", "]"},
                                                       {"[a-]", "-"},
                                                       {"a[b", "a[b"},
                                                       {"\\*", "*"},
                                                       {"\\[a]", "[a]"},
                                                       {"?", "ü"},
                                                       {"(root)", "(root)"},
                                                       {"a\\", "a\\"}};
  for (const auto& [pattern, text] : cases) EXPECT_TRUE(glob_match(pattern, text)) << pattern << " | " << text;
}

TEST(Glob, DoesNotMatch) {
  const std::pair<const char*, const char*> cases[] = {{"", "a"},
                                                       {"a", ""},
                                                       {"h.?.mlp", "h.10.mlp"},
                                                       {"h.*", "x.h.1"},
                                                       {"*.act", "h.act.x"},
                                                       {"h.[01]", "h.2"},
                                                       {"h.[!0]", "h.0"},
                                                       {"\\*", "a"},
                                                       {"?", ""},
                                                       {"[]", "]"},
                                                       {"a*b", "acbd"},
                                                       {"A", "a"}};
  for (const auto& [pattern, text] : cases) EXPECT_FALSE(glob_match(pattern, text)) << pattern << " | " << text;
}

TEST(Glob, ManyStarsDoNotExplode) {
  std::string pattern;
  for (int i = 0; i < 100; ++i) pattern += "*a";
  EXPECT_FALSE(glob_match(pattern + "b", std::string(10000, 'a')));
}

}  // namespace
}  // namespace goldentrace
