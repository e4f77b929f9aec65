#define GOLDENTRACE_VECTOR_SET avx512
#include "kernels/vector_set.h"
