// Reads the integers of a NumPy .npy file.
#pragma once

#include <string>
#include <string_view>

#include "cli/id_table.h"

namespace goldentrace {

// `bytes`: the whole file, little-endian integers or booleans of one to three dimensions in C order. Every field is
// checked against the size before it is believed. Error(damaged) or Error(unsupported) naming `path`.
IdTable parse_npy_integers(std::string_view bytes, const std::string& path);

}  // namespace goldentrace
