// Marks a function whose loops the compiler translates once per instruction set; the loader picks the best one.
#pragma once

// Only where GCC supports it; sanitizers run before the loader's choice is made, so they get the portable code alone.
// Inner templates must be inlined (GOLDENTRACE_INLINE) to be translated along. Contraction to fused multiply-add is off
// in kernels/: every translation gives the same bits.
#if defined(__x86_64__) && defined(__ELF__) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12 && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define GOLDENTRACE_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define GOLDENTRACE_CLONES
#endif

#if defined(__GNUC__)
#define GOLDENTRACE_INLINE inline __attribute__((always_inline))
#else
#define GOLDENTRACE_INLINE inline
#endif
