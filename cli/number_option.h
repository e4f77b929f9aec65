// Options whose value is a number in a range.
#pragma once

#include <cstdint>

namespace CLI {
class Option;
}

namespace goldentrace {

// Numbers are plain decimals with nothing behind them; what does not fit is refused with the range, never clamped.
CLI::Option* integer_between(CLI::Option* option, std::int64_t lowest, std::int64_t highest);
CLI::Option* integer_from(CLI::Option* option, std::int64_t lowest);
CLI::Option* unsigned_integer(CLI::Option* option);  // 64 bits
CLI::Option* any_number(CLI::Option* option);        // finite
CLI::Option* number_from(CLI::Option* option, double lowest);
CLI::Option* number_above(CLI::Option* option, double bound);
CLI::Option* probability(CLI::Option* option);  // from 0 to below 1

// Bytes, with or without a unit (cli/number.h, parse_bytes).
CLI::Option* byte_size(CLI::Option* option, std::uint64_t lowest);

}  // namespace goldentrace
