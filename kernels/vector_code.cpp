#include "kernels/vector_code.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "kernels/vector_sets.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

struct Choice {
  std::string_view name;
  const VectorCode* code;
};

const Choice& choice(InstructionSet set) {
#if defined(GOLDENTRACE_X86_VECTORS)
  static constexpr std::array<Choice, 3> choices{
      {{"portable", &portable_code}, {"avx2", &avx2_code}, {"avx512", &avx512_code}}};
#else
  static constexpr std::array<Choice, 3> choices{
      {{"portable", &portable_code}, {"avx2", nullptr}, {"avx512", nullptr}}};
#endif
  return choices[static_cast<std::size_t>(set)];
}

constexpr InstructionSet best_first[] = {InstructionSet::avx512, InstructionSet::avx2, InstructionSet::portable};

const VectorCode& choose() {
  const char* wanted = std::getenv("GOLDENTRACE_INSTRUCTION_SET");
  for (const InstructionSet set : best_first) {
    if (is_supported(set) && (wanted == nullptr || choice(set).name == wanted)) return *choice(set).code;
  }
  throw Error(ErrorCode::usage, "GOLDENTRACE_INSTRUCTION_SET=" + std::string(wanted) +
                                    " is not supported here; use portable, avx2 or avx512, or leave it unset");
}

std::atomic<const VectorCode*> forced = nullptr;

}  // namespace

bool is_supported(InstructionSet set) {
  if (choice(set).code == nullptr) return false;
#if defined(GOLDENTRACE_X86_VECTORS)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
  if (set == InstructionSet::avx2) return avx2;
  if (set == InstructionSet::avx512) {
    return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  }
#endif
  return true;
}

const VectorCode& vector_code() {
  if (const VectorCode* code = forced) return *code;
  static const VectorCode& chosen = choose();
  return chosen;
}

void force_instruction_set(std::optional<InstructionSet> set) {
  if (set && !is_supported(*set)) throw std::logic_error("instruction set not supported");
  forced = set ? choice(*set).code : nullptr;
}

}  // namespace goldentrace
