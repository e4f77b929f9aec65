#define GOLDENTRACE_VECTOR_SET portable
#include "kernels/vector_set.h"
