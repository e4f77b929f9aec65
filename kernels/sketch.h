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

#include "kernels/sketch_hash.h"
#include "traces/fingerprint.h"

namespace goldentrace {

// Estimated |a - b| from two sketches of equal size; 0 for two empty ones. Exact where the sketches are the elements
// themselves; then pairs with a non-finite side count as 0, as they do in sketches. std::logic_error when sizes differ.
double sketch_distance(const Sketch& a, const Sketch& b);

}  // namespace goldentrace
