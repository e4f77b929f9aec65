// The linear CountSketch of a tensor in m buckets. Element i with value x adds sign(i) x to bucket(i). Because it is
// linear, sketches of parts add up to the sketch of their sum, and |sketch(a) - sketch(b)| / |a| estimates the relative
// Frobenius error (measured deviation 4-5 % at m = 256; a deviation, not a bound: for 2-10 scattered equal errors
// single estimates vary more).
//
// The definition below is part of the file format: sketches of one version can be compared with those of any other, and
// a GPU computes the same. Elements in a row of m land in m different buckets; the rotation keeps a column of a matrix
// whose row length is a multiple of m from landing in one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "traces/fingerprint.h"

namespace goldentrace {

// Steele, Lea, Flood: Fast splittable pseudorandom number generators (OOPSLA 2014), as in Java's SplittableRandom.
constexpr std::uint64_t splitmix64(std::uint64_t value) {
  value += 0x9E3779B97F4A7C15u;
  value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9u;
  value = (value ^ value >> 27) * 0x94D049BB133111EBu;
  return value ^ value >> 31;
}

inline constexpr std::uint64_t sketch_sign_seed = 0x676F6C64656E7369;      // "goldensi"
inline constexpr std::uint64_t sketch_rotation_seed = 0x676F6C64656E726F;  // "goldenro"
inline constexpr std::uint64_t max_sketch_size = std::uint64_t{1} << 32;

// Signs of the 64 elements from 64 * group on: bit k is set when element 64 * group + k counts negatively.
constexpr std::uint64_t sketch_signs(std::uint64_t group) { return splitmix64(group ^ sketch_sign_seed); }

// +1 or -1.
constexpr double sketch_sign(std::uint64_t index) { return sketch_signs(index / 64) >> index % 64 & 1 ? -1.0 : 1.0; }

// Rotation of the elements [block * m, (block + 1) * m), in [0, m). m: 1 to max_sketch_size.
constexpr std::uint64_t sketch_rotation(std::uint64_t block, std::uint64_t m) {
  return (splitmix64(block ^ sketch_rotation_seed) >> 32) * m >> 32;
}

constexpr std::uint64_t sketch_bucket(std::uint64_t index, std::uint64_t m) {
  return (index + sketch_rotation(index / m, m)) % m;
}

// Adds `count` values, signs already applied, of the elements from `first` on to the m sums.
void add_signed_to_sketch(double* sums, std::uint64_t m, std::uint64_t first, const double* values, std::size_t count);

// Estimated |a - b| from two sketches of equal size; 0 for two empty ones. Exact where the sketches are the elements
// themselves; then pairs with a non-finite side count as 0, as they do in sketches. std::logic_error when sizes differ.
double sketch_distance(const Sketch& a, const Sketch& b);

}  // namespace goldentrace
