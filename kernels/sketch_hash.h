// The random part of the CountSketch: signs and rotations. Part of the file format (kernels/sketch.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/host_device.h"

namespace goldentrace {

// Steele, Lea, Flood: Fast splittable pseudorandom number generators (OOPSLA 2014), as in Java's SplittableRandom.
GOLDENTRACE_INLINE constexpr std::uint64_t splitmix64(std::uint64_t value) {
  value += 0x9E3779B97F4A7C15u;
  value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9u;
  value = (value ^ value >> 27) * 0x94D049BB133111EBu;
  return value ^ value >> 31;
}

inline constexpr std::uint64_t sketch_sign_seed = 0x676F6C64656E7369;      // "goldensi"
inline constexpr std::uint64_t sketch_rotation_seed = 0x676F6C64656E726F;  // "goldenro"
inline constexpr std::uint64_t max_sketch_size = std::uint64_t{1} << 32;
inline constexpr std::size_t sketch_sign_group = 64;  // elements that share one word of signs

// Signs of the 64 elements from 64 * group on: bit k is set when element 64 * group + k counts negatively.
GOLDENTRACE_INLINE constexpr std::uint64_t sketch_signs(std::uint64_t group) {
  return splitmix64(group ^ sketch_sign_seed);
}

// +1 or -1.
GOLDENTRACE_INLINE constexpr double sketch_sign(std::uint64_t index) {
  return sketch_signs(index / 64) >> index % 64 & 1 ? -1.0 : 1.0;
}

// Rotation of the elements [block * m, (block + 1) * m), in [0, m). m: 1 to max_sketch_size.
GOLDENTRACE_INLINE constexpr std::uint64_t sketch_rotation(std::uint64_t block, std::uint64_t m) {
  return (splitmix64(block ^ sketch_rotation_seed) >> 32) * m >> 32;
}

GOLDENTRACE_INLINE constexpr std::uint64_t sketch_bucket(std::uint64_t index, std::uint64_t m) {
  return (index + sketch_rotation(index / m, m)) % m;
}

}  // namespace goldentrace
