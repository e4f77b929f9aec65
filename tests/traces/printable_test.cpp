#include "traces/printable.h"

#include <gtest/gtest.h>

namespace goldentrace {
namespace {

TEST(Printable, LeavesTextAlone) {
  for (const char* text : {"", "h.1.mlp.act", "C:\\runs\\a b", "step 3 · micro 0", "日本語 𝄞", "~"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, EscapesControlCharacters) {
  EXPECT_EQ(printable("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  EXPECT_EQ(printable("\x1b[2J\x7f"), "\\x1b[2J\\x7f");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
}

TEST(Printable, EscapesWhatIsNoUtf8) {
  EXPECT_EQ(printable("a\xff"), "a\\xff");
  EXPECT_EQ(printable("\xc3"), "\\xc3") << "cut short";
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf") << "overlong";
  EXPECT_EQ(printable("\xe0\x80\xaf"), "\\xe0\\x80\\xaf") << "overlong";
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond Unicode";
}

TEST(Printable, EscapesControlsOfUnicode) {
  EXPECT_EQ(printable("\xc2\x9b"
                      "2J"),
            "\\u{9b}2J")
      << "the C1 form of an escape sequence";
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "b"),
            "a\\u{202e}b")
      << "right to left";
  EXPECT_EQ(printable("a\xe2\x80\xa8"
                      "b"),
            "a\\u{2028}b")
      << "a line separator";
}

}  // namespace
}  // namespace goldentrace
