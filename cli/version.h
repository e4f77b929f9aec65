// The version of this build.
#pragma once

#include <string>

namespace goldentrace {

std::string version_text(const std::string& program);  // "gtrace 0.1.0"

}  // namespace goldentrace
