#include "checkpoints/tensor_parallel.h"

#include "checkpoints/row_orders.h"

namespace goldentrace {

Division division_of(std::string_view key) {
  if (key == "word_embeddings.weight" || key == "head.weight") return Division::vocabulary;
  if (key.find(".query_key_value.") != std::string_view::npos) return Division::query_key_value;
  if (key.find(".mlp.dense_h_to_4h.") != std::string_view::npos) return Division::mlp_rows;
  if (key.ends_with(".self_attention.dense.weight") || key.ends_with(".mlp.dense_4h_to_h.weight"))
    return Division::columns;
  return Division::replicated;
}

Matrix merge_ranks(std::vector<Matrix> parts, Division division, const GptShape& shape, int version) {
  const auto ranks = static_cast<std::int64_t>(parts.size());
  switch (division) {
    case Division::vocabulary: {
      const RowRun tokens{0, shape.vocab};
      return gather_rows(stack_rows(parts), {&tokens, 1});
    }
    case Division::query_key_value:
      return gather_rows(stack_rows(parts), merge_query_key_value(shape, version, ranks));
    case Division::mlp_rows:
      return gather_rows(stack_rows(parts), merge_mlp(shape, ranks));
    case Division::columns:
      return stack_columns(parts);
    default:
      return std::move(parts.front());
  }
}

Matrix rank_part(const Matrix& whole, Division division, const GptShape& shape, const MegatronOptions& options,
                 std::int64_t padded_vocab, std::int64_t rank) {
  switch (division) {
    case Division::vocabulary:
      return gather_rows(whole, split_vocabulary(shape.vocab, padded_vocab, options.ranks, rank));
    case Division::query_key_value:
      return gather_rows(whole, split_query_key_value(shape, options.version, options.ranks, rank));
    case Division::mlp_rows:
      return gather_rows(whole, split_mlp(shape, options.ranks, rank));
    case Division::columns:
      return cut_columns(whole, rank * (whole.columns / options.ranks), whole.columns / options.ranks);
    default:
      return whole;
  }
}

}  // namespace goldentrace
