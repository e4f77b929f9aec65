// How recorded tensors become one logical tensor, as text: "concat(0, micro) | transpose(0, 1)". docs/RELATIONS.md
// explains the words.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "diff/relation/shard.h"

namespace goldentrace {

enum class FormWord {
  identity,
  concat,         // axis, dimension: one tensor after another
  sum,            // dimension: in order, rounded to the type after each addition
  mean,           // dimension
  weighted_mean,  // dimension, then `tokens`, `targets` or one weight each
  weigh,          // dimension, `targets`: each times its weight in that mean, and not added up
  replicated,     // dimension: copies that must be equal; the first one stands
  partial_sum,    // the sum over ranks
  slice,          // axis, from, to
  common,         // axis: the part of it that both sides have
  permute,        // axes
  transpose,      // two axes; the last two by default
  split,          // axis, sizes
  merge,          // axis, number of axes
  cast,           // dtype
  scale,          // factor
  plus,           // layer, role, index: another record of the same trace, repeated along the first axes
};

struct FormStep {
  FormWord word = FormWord::identity;
  std::vector<std::string> arguments;
  std::string text;       // "transpose(0, 1)"
  std::size_t scope = 0;  // which of the joined forms it comes from (Form::join)

  bool combines() const;  // several records become one
  Dimension over() const;
};

class Form {
 public:
  Form() = default;
  // Error(usage) in words, with the closest word that is known.
  explicit Form(std::string_view text);

  const std::string& text() const { return text_; }
  const std::vector<FormStep>& steps() const { return steps_; }  // without identities
  // What is left of a shard once everything that the form combines is one.
  ShardPlace combined(ShardPlace shard) const;
  bool combines() const;
  Form without_common() const;
  // For records that are copies along the dimension: of every joined form that combines over it nothing but that is
  // left.
  Form of_copies(Dimension over) const;
  // Carried out behind this one; names in its arguments are of the scope `scope`.
  void join(const Form& next, std::size_t scope);
  std::set<std::string> names() const;  // symbols and captures of its arithmetic

 private:
  std::string text_;
  std::vector<FormStep> steps_;
};

}  // namespace goldentrace
