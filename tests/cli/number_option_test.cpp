// Every option that takes a number refuses what is no number in its range, and says what is allowed.
#include "cli/number_option.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <functional>

#include "cli/diff.h"
#include "cli/parse_error.h"
#include "cli/record_options.h"
#include "cli/replay_options.h"
#include "cli/show.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

// What parsing `words` refuses; "" when it takes them.
std::string refusal(CLI::App& app, std::vector<std::string> words) {
  std::reverse(words.begin(), words.end());
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    return explain(app, error);
  }
  return "";
}

struct NumberOption {
  std::vector<std::string> command;
  std::string name, type;
};

bool is_number(const std::string& type) {
  return type == "N" || type == "X" || type == "P" || type == "EPS" || type == "SIZE";
}

void collect(const CLI::App& app, const std::vector<std::string>& command, std::vector<NumberOption>& list) {
  for (const CLI::Option* option : app.get_options()) {
    if (is_number(option->get_type_name())) list.push_back({command, option->get_name(), option->get_type_name()});
  }
  for (const CLI::App* inner : app.get_subcommands([](const CLI::App*) { return true; })) {
    std::vector<std::string> path = command;
    path.push_back(inner->get_name());
    collect(*inner, path, list);
  }
}

// A root app as the programs have it; what it would run is not run, because a value is refused before.
struct Program {
  const char* name;
  std::function<void(CLI::App&)> fill;
};

class EveryNumber : public testing::TestWithParam<Program> {
 protected:
  std::vector<NumberOption> options() const {
    CLI::App app("", GetParam().name);
    GetParam().fill(app);
    std::vector<NumberOption> list;
    collect(app, {}, list);
    return list;
  }
  void expect_refused(const NumberOption& option, const std::string& value) const {
    CLI::App app("", GetParam().name);
    GetParam().fill(app);
    std::vector<std::string> words = option.command;
    words.push_back(option.name + "=" + value);
    EXPECT_THAT(refusal(app, words), StartsWith(option.name + ": '" + value + "' is no ")) << option.name;
  }
};

TEST_P(EveryNumber, RefusesWhatIsNone) {
  for (const NumberOption& option : options()) {
    for (const char* value : {"many", "3x", "0x10", "1 2", "nan", "inf", "--1", "1e999"}) expect_refused(option, value);
  }
}

TEST_P(EveryNumber, IntegersRefuseWhatDoesNotFit) {
  std::size_t integers = 0;
  for (const NumberOption& option : options()) {
    if (option.type != "N") continue;
    ++integers;
    for (const char* value : {"99999999999999999999999", "-99999999999999999999999", "-1", "1.5"}) {
      expect_refused(option, value);
    }
  }
  EXPECT_GT(integers, 0U);
}

RecordOptions record_options;
ReplayCommandOptions replay_options;
ExitCode code = ExitCode::same;

INSTANTIATE_TEST_SUITE_P(Programs, EveryNumber,
                         testing::Values(Program{"record", [](CLI::App& app) { add_record(app, record_options); }},
                                         Program{"replay", [](CLI::App& app) { add_replay(app, replay_options); }},
                                         Program{"gtrace",
                                                 [](CLI::App& app) {
                                                   add_diff(app, code);
                                                   add_show(app, code);
                                                 }}),
                         [](const auto& info) { return std::string(info.param.name); });

class OneNumber : public testing::Test {
 protected:
  CLI::App app_{"", "test"};
};

TEST_F(OneNumber, ASeedHas64Bits) {
  std::uint64_t seed = 0;
  unsigned_integer(app_.add_option("--seed", seed));
  EXPECT_EQ(refusal(app_, {"--seed", "18446744073709551615"}), "");
  EXPECT_EQ(seed, 18446744073709551615U);
  for (const char* value : {"18446744073709551616", "-1"}) {
    EXPECT_THAT(refusal(app_, {"--seed", value}), HasSubstr("is no integer from 0 to 18446744073709551615"));
  }
}

TEST_F(OneNumber, IsDecimalWithLeadingZeros) {
  std::int64_t value = 0;
  integer_from(app_.add_option("--value", value), 0);
  EXPECT_EQ(refusal(app_, {"--value", "010"}), "");
  EXPECT_EQ(value, 10);
  EXPECT_THAT(refusal(app_, {"--value", "9223372036854775808"}), HasSubstr("from 0 to 9223372036854775807"));
}

TEST_F(OneNumber, KeepsEveryBitOfADouble) {
  double value = 0;
  any_number(app_.add_option("--value", value));
  EXPECT_EQ(refusal(app_, {"--value", "0.1"}), "");
  EXPECT_EQ(value, 0.1);
  EXPECT_EQ(refusal(app_, {"--value", "-1.7976931348623157e308"}), "");
  EXPECT_EQ(value, -1.7976931348623157e308);
}

TEST_F(OneNumber, ASizeMayHaveAUnit) {
  std::uint64_t size = 0;
  byte_size(app_.add_option("--size", size), 1000);
  EXPECT_EQ(refusal(app_, {"--size", "1.5GB"}), "");
  EXPECT_EQ(size, 1500000000U);
  EXPECT_EQ(refusal(app_, {"--size", "2 MiB"}), "");
  EXPECT_EQ(size, 2097152U);
  for (const char* value : {"1.5XB", "MB", "999", "-5MB", "1e30", "99999999999TB"}) {
    EXPECT_THAT(refusal(app_, {"--size", value}),
                AllOf(HasSubstr("is no size of at least 1.0 kB"), HasSubstr("500MB or 2GiB")));
  }
}

}  // namespace
}  // namespace goldentrace
