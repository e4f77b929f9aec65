// Marks code that runs on the CPU and in CUDA kernels. Such headers are C++17 and include no C++20 header.
#pragma once

#include <cstring>

#if defined(__CUDACC__)
#define GOLDENTRACE_HD __host__ __device__ inline
#define GOLDENTRACE_INLINE __host__ __device__ __forceinline__
#elif defined(__GNUC__)
#define GOLDENTRACE_HD inline
#define GOLDENTRACE_INLINE inline __attribute__((always_inline))
#else
#define GOLDENTRACE_HD inline
#define GOLDENTRACE_INLINE inline
#endif

namespace goldentrace {

// std::bit_cast, which C++17 lacks.
template <typename To, typename From>
GOLDENTRACE_INLINE To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

}  // namespace goldentrace
