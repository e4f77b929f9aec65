// How each of Megatron's parameters is divided over tensor-parallel ranks.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "checkpoints/convert_options.h"
#include "checkpoints/gpt_shape.h"
#include "checkpoints/matrix.h"

namespace goldentrace {

enum class Division {
  replicated,       // every rank holds all
  vocabulary,       // rows of embedding and head, padded
  query_key_value,  // rows by heads or groups
  mlp_rows,         // rows of the first linear of the MLP, halves apart where it is gated
  columns,          // input features of dense and dense_4h_to_h
};
Division division_of(std::string_view canonical_key);

// What the ranks' parts make together. They must have equal shapes.
Matrix merge_ranks(std::vector<Matrix> parts, Division division, const GptShape& shape, int version);

// One rank's part.
Matrix rank_part(const Matrix& whole, Division division, const GptShape& shape, const MegatronOptions& options,
                 std::int64_t padded_vocab, std::int64_t rank);

}  // namespace goldentrace
