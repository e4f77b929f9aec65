// Numbers as text that gives the same value back.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace goldentrace {

// The shortest decimal that a reader turns into the same double; "nan", "inf", "-inf". A float32 or narrower value is
// a double too, so its decimal is exact for every reader: float32 0.1 is 0.10000000149011612.
std::string decimal(double value);

// A JSON number; the strings "NaN", "Infinity", "-Infinity" for values that JSON has no number for.
nlohmann::ordered_json json_number(double value);

std::string human_bytes(std::uint64_t bytes);  // "1.5 MB", decimal units
// "4096", "500MB" (decimal units kB MB GB TB), "2GiB" (binary units KiB MiB GiB TiB), in any case, with or without a
// space before the unit and with decimals ("1.5GB"). Nothing when it is no size or does not fit 63 bits.
std::optional<std::uint64_t> parse_bytes(std::string_view text);

}  // namespace goldentrace
