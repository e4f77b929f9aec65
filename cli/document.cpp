#include "cli/document.h"

#include <iostream>
#include <nlohmann/json.hpp>

namespace goldentrace {

void print_document(const nlohmann::ordered_json& document) {
  std::cout << document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
}

}  // namespace goldentrace
