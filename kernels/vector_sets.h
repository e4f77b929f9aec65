// The tables of the instruction sets; each is compiled from kernels/vector_set.h with the set's own flags.
#pragma once

#include "kernels/vector_code.h"

namespace goldentrace {

extern const VectorCode portable_code;
#if defined(GOLDENTRACE_X86_VECTORS)
extern const VectorCode avx2_code;
extern const VectorCode avx512_code;
#endif

}  // namespace goldentrace
