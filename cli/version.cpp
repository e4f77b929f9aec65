#include "cli/version.h"

namespace goldentrace {

std::string version_text(const std::string& program) { return program + " " GOLDENTRACE_VERSION; }

}  // namespace goldentrace
