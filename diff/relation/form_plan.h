// A form with its sources: what is read, and what is done with it, to make one logical tensor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "diff/relation/arithmetic.h"
#include "diff/relation/form.h"
#include "diff/relation/index_map.h"
#include "traces/record.h"

namespace goldentrace {

// One recorded tensor that takes part.
struct FormSource {
  std::int64_t row = 0;
  ShardPlace shard;
  DType dtype = DType::float32;
  Shape shape;
};

// How a plan looks into its trace.
struct FormContext {
  // Symbols and captures, of the scope that a word belongs to.
  std::function<std::optional<double>(std::size_t scope, std::string_view name)> value_of;
  // The record that `plus` names beside a source; Error(usage) when there is none.
  std::function<FormSource(const FormStep&, const FormSource&)> partner;
  // How many target tokens the micro-batch of a source has; Error(usage) where they are not known.
  std::function<double(const FormSource&)> tokens;
  // Upper limit of the axis that `common` names; nothing: no limit yet.
  std::optional<std::int64_t> common;
};

class FormPlan {
 public:
  using Bytes = std::vector<std::byte>;
  using ReadBytes = std::function<Bytes(std::int64_t row)>;
  using ReadSketch = std::function<Sketch(std::int64_t row)>;

  // Error(usage) in words when the form does not fit the sources. Sources in the order of their shards.
  FormPlan(const Form& form, std::vector<FormSource> sources, const FormContext& context);

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  const std::vector<FormSource>& sources() const { return sources_; }
  // Rows that are read besides the sources.
  const std::vector<std::int64_t>& partners() const { return partners_; }
  // The first source as it is; the others are copies of it.
  bool takes_first() const;
  // Sketches of the sources are enough.
  bool is_linear() const;
  // The dropped part of an axis that both sides must share; -1 without `common`.
  std::int64_t common_axis() const { return common_axis_; }
  std::int64_t whole_axis() const { return whole_axis_; }  // its size before
  // The words with their numbers: equal texts do the same.
  const std::string& text() const { return text_; }

  // Any thread. What it holds at once: about three times the result.
  Bytes apply(const ReadBytes& read) const;
  // Empty when a source has none or they do not fit each other. Only where is_linear().
  Sketch sketch(const ReadSketch& read) const;
  // The row that this element of the result comes from; nothing where several records were added up.
  std::optional<std::int64_t> source_at(std::int64_t element) const;
  // What every source was, from the logical tensor; nothing where the form cannot be undone exactly.
  std::optional<std::vector<Bytes>> undo(const Bytes& logical) const;
  bool can_be_undone() const;
  // How much larger the statistics of the source get: the product of its scales.
  double factor() const;

 private:
  // One entry for each tensor that is left at the step.
  struct Gather {
    std::vector<IndexMap> maps;
  };
  struct Scale {
    double k;
  };
  struct Cast {
    DType from, to;
  };
  struct Plus {
    std::vector<std::int64_t> rows;
  };
  struct Concat {
    std::size_t axis;
  };
  struct Sum {
    std::vector<double> weights;  // one for each tensor before the step; empty: 1
    bool mean;
  };
  struct First {};
  struct Weigh {
    std::vector<double> weights;  // one for each tensor
  };
  using Step = std::variant<Gather, Scale, Cast, Plus, Concat, Sum, First, Weigh>;

  // A tensor on its way.
  struct Part {
    std::vector<std::size_t> parts;  // of the stage before; in the first stage its source
    ShardPlace shard;
    Shape shape;
  };
  class Builder;
  class Runner;

  std::vector<Bytes> taken_apart(const Bytes& whole, std::size_t stage, const Part& part) const;
  Bytes before(const Bytes& after, std::size_t stage, std::size_t at) const;

  std::vector<FormSource> sources_;
  std::vector<std::int64_t> partners_;
  std::vector<Step> steps_;
  std::vector<std::vector<Part>> stages_;  // before each step, and at the end the one result
  DType dtype_ = DType::float32;
  Shape shape_;
  std::string text_;
  std::int64_t common_axis_ = -1;
  std::int64_t whole_axis_ = 0;
};

}  // namespace goldentrace
