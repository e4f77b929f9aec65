#define GOLDENTRACE_VECTOR_SET avx2
#include "kernels/vector_set.h"
