#include "models/memory_limit.h"

#include <unistd.h>

#include <cstdio>

#include "traces/error.h"

namespace goldentrace {
namespace {

std::string gigabytes(double bytes) {
  char text[64];
  std::snprintf(text, sizeof text, "%.3g GB", bytes / 1e9);
  return text;
}

}  // namespace

double machine_memory() {
  return static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

void check_memory(double need, const std::string& what) {
  const double have = machine_memory();
  if (need > have)
    throw Error(ErrorCode::usage, what + " needs about " + gigabytes(need) + ", this machine has " + gigabytes(have) +
                                      "; choose smaller sizes");
}

}  // namespace goldentrace
