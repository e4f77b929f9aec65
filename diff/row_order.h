// Orders in which checkpoints keep the rows of fused weights, and what reading one as another leaves.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kernels/compare.h"

namespace goldentrace {

// "same values, permuted rows: QKV order, v2 layout read as v0" where b holds the slices of a along the first or the
// last axis in another order; the order is named where it is one of
//
// * query, key and value as [q, k, v][head][d] (v0), [head][d][q, k, v] (v1), [head][q, k, v][d] (v2) read as another;
// * grouped queries [q … q, k, v] of each group read as all queries, all keys, all values, or the other way round;
// * of layers with "mlp" in their name: gate and up halves of tensor-parallel shards joined shard by shard.
//
// Nothing for other pairs, and for shapes that differ. Head counts are not asked for: all that fit are tried.
std::optional<std::string> row_order(const TensorView& a, const TensorView& b, std::string_view layer);

}  // namespace goldentrace
