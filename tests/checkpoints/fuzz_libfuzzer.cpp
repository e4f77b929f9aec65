// libFuzzer's entry for one target, FUZZ_TARGET.
#include <cstdint>

#include "tests/checkpoints/fuzz_targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const goldentrace::FuzzTarget& target : goldentrace::fuzz_targets())
    if (target.name == FUZZ_TARGET) target.run({reinterpret_cast<const std::byte*>(data), size});
  return 0;
}
