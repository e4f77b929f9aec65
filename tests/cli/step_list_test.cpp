#include "cli/step_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "traces/error.h"

namespace goldentrace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(NumberList, NumbersAndRanges) {
  EXPECT_THAT(parse_number_list("0,4-7,2", "--record-steps"), ElementsAre(0, 2, 4, 5, 6, 7));
  EXPECT_THAT(parse_number_list("3,3-4", "--record-steps"), ElementsAre(3, 4));
  EXPECT_THAT(parse_number_list("", "--record-steps"), IsEmpty());
}

TEST(NumberList, RefusesWhatIsNoList) {
  for (const char* text : {"a", "1,", ",1", "-1", "1-", "5-2", "1,,2", "1 2", "99999999999999999999", "0-9999999999"}) {
    EXPECT_THROW(parse_number_list(text, "--record-steps"), Error) << text;
  }
}

}  // namespace
}  // namespace goldentrace
