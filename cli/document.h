// The JSON document of a command.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace goldentrace {

// On stdout, indented; bytes that are no UTF-8 are replaced.
void print_document(const nlohmann::ordered_json& document);

}  // namespace goldentrace
