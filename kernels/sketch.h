// The linear CountSketch of a tensor: m buckets, sign from a hash of the element index, bucket = (index + rotation of
// its block of m) mod m. Because it is linear, sketches of parts add up to the sketch of their sum, and
// |sketch(a) - sketch(b)| / |a| estimates the relative Frobenius error (measured deviation 4-5 % at m = 256; a
// deviation, not a bound: for 2-10 scattered equal errors single estimates vary more).
#pragma once

#include <cstddef>
#include <cstdint>

#include "traces/fingerprint.h"

namespace goldentrace {

// splitmix64 of (index ^ seed): the top bit gives the sign, +1 when clear.
double sketch_sign(std::uint64_t index);
// Rotation of block `block`, in [0, m).
std::uint64_t sketch_rotation(std::uint64_t block, std::uint64_t m);
std::uint64_t sketch_bucket(std::uint64_t index, std::uint64_t m);

// Estimated ||a - b|| from two sketches of equal size; 0 for two empty ones. std::logic_error when sizes differ.
double sketch_distance(const Sketch& a, const Sketch& b);

}  // namespace goldentrace
