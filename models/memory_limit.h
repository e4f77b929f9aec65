// Refuses runs that this machine cannot hold, before anything is allocated.
#pragma once

#include <string>

namespace goldentrace {

double machine_memory();  // bytes of physical memory

// Error(usage) when a run needs more than machine_memory(). `need` in bytes; a double, because hostile sizes overflow
// integers.
void check_memory(double need, const std::string& what);

}  // namespace goldentrace
