// Numbers as text that gives the same value back.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace goldentrace {

// The shortest decimal that a reader turns into the same double; "nan", "inf", "-inf". A float32 or narrower value is
// a double too, so its decimal is exact for every reader: float32 0.1 is 0.10000000149011612.
std::string decimal(double value);

// A JSON number; the strings "NaN", "Infinity", "-Infinity" for values that JSON has no number for.
nlohmann::ordered_json json_number(double value);

std::string human_bytes(std::uint64_t bytes);  // "1.5 MB", decimal units

}  // namespace goldentrace
