// Compiled once per instruction set, with that set's flags and GOLDENTRACE_VECTOR_SET = portable, avx2 or avx512.
// Nothing in here may be shared with other units, or the linker could give code for a newer CPU to all: only
// always-inline functions, builtins and what is in the unnamed namespace.
#include "kernels/vector_compare.h"
#include "kernels/vector_fingerprint.h"
#include "kernels/vector_sets.h"

#define GOLDENTRACE_CODE_NAME_(set) set##_code
#define GOLDENTRACE_CODE_NAME(set) GOLDENTRACE_CODE_NAME_(set)

namespace goldentrace {

constinit const VectorCode GOLDENTRACE_CODE_NAME(GOLDENTRACE_VECTOR_SET) = {.add_groups = add_groups,
                                                                            .widen = widen,
                                                                            .all_finite = all_finite,
                                                                            .subtract = subtract,
                                                                            .moduli = moduli,
                                                                            .figures = figures,
                                                                            .largest_relative = largest_relative,
                                                                            .count_same_items = count_same_items_loop,
                                                                            .pair_sums = pair_sums,
                                                                            .squares = squares,
                                                                            .ulp_buckets = ulp_buckets_loop,
                                                                            .count_buckets = count_buckets_loop};

}  // namespace goldentrace
