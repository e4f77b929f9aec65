// Faults that converters make, planted into the converted side: each is found at the weight that is wrong, and the
// correct conversion is found equal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include "diff/diff.h"
#include "diff/text_report.h"
#include "tests/diff/two_shapes.h"

namespace goldentrace {
namespace {

using testing::Fault;
using testing::joined;
using testing::permuted;
using testing::reshaped;
using testing::rows_of;
using testing::transposed;
using testing::TwoShapes;
using testing::Values;
using Change = std::function<Values(const Values&)>;

constexpr std::int64_t heads = 2, head = 4, hidden = heads * head, inner = 24;

// Weights of B are [in, out]: the rows of what converters reorder are its columns.
Change on_rows(const Change& change) {
  return [change](const Values& value) {
    return value.shape.size() == 1 ? change(value) : transposed(change(transposed(value)));
  };
}

// Rows as [first, second, third] groups, in another order of these three axes.
Change regrouped(std::vector<std::int64_t> groups, std::vector<std::size_t> order) {
  return on_rows([=](const Values& value) {
    Shape split(groups);
    std::vector<std::size_t> axes(order);
    if (value.shape.size() == 2) {
      split.push_back(value.shape[1]);
      axes.push_back(3);
    }
    return reshaped(permuted(reshaped(value, split), axes), value.shape);
  });
}

// Equal parts of the rows, in this order.
Change reordered(std::vector<std::int64_t> order) {
  return on_rows([=](const Values& value) {
    const auto count = static_cast<std::int64_t>(order.size());
    const std::int64_t size = value.shape[0] / count;
    std::vector<Values> parts;
    for (const std::int64_t part : order) parts.push_back(rows_of(value, part * size, (part + 1) * size));
    return joined(parts);
  });
}

Values zeros(Values value) {
  std::ranges::fill(value.data, 0.0F);
  return value;
}

Values rounded(Values value) {
  for (float& each : value.data) each = std::round(each * 8) / 8;
  return value;
}

Change times(float k) {
  return [k](Values value) {
    for (float& each : value.data) each *= k;
    return value;
  };
}

Values turned_back(const Values& value) { return reshaped(transposed(value), value.shape); }

Values shifted(const Values& value, std::int64_t by) {
  return joined({rows_of(value, by, value.shape[0]), rows_of(value, 0, by)});
}

Values one_row_late(const Values& value) { return shifted(value, 1); }
Values two_rows_late(const Values& value) { return shifted(value, 2); }

Values one_element(Values value) {
  value.data[value.data.size() / 2] += 1.0F / 64;
  return value;
}

// The value of another parameter, of the same shape.
Change instead(const std::string& name) {
  return [name](const Values& value) { return TwoShapes().value(name, value.shape); };
}

struct Case {
  std::string what;
  std::string parameter;  // of B
  Change change;
  std::string layer, index;  // where it must be found, by A's names
};

std::ostream& operator<<(std::ostream& out, const Case& each) { return out << each.what; }

const std::string qkv_0 = "layers.0.self_attention.query_key_value";
const std::string qkv_1 = "layers.1.self_attention.query_key_value";

std::vector<Case> cases() {
  return {
      {"rows of version 2 read as version 0", "h.0.attn.c_attn.weight", regrouped({3, heads, head}, {1, 0, 2}), qkv_0,
       "weight"},
      {"the same for the bias alone", "h.0.attn.c_attn.bias", regrouped({3, heads, head}, {1, 0, 2}), qkv_0, "bias"},
      {"rows of version 2 read as version 1", "h.1.attn.c_attn.weight", regrouped({3, heads, head}, {1, 2, 0}), qkv_1,
       "weight"},
      {"rows of version 1 read as version 2", "h.0.attn.c_attn.weight", regrouped({heads, head, 3}, {2, 0, 1}), qkv_0,
       "weight"},
      {"query and key exchanged", "h.0.attn.c_attn.weight", reordered({1, 0, 2}), qkv_0, "weight"},
      {"key and value exchanged", "h.1.attn.c_attn.bias", reordered({0, 2, 1}), qkv_1, "bias"},
      {"twice the number of groups", "h.0.attn.c_attn.weight", regrouped({3, 2 * heads, head / 2}, {1, 0, 2}), qkv_0,
       "weight"},
      {"heads exchanged", "h.0.attn.c_attn.weight", reordered({1, 0, 3, 2, 5, 4}), qkv_0, "weight"},
      {"a square weight not transposed", "h.0.attn.c_proj.weight", transposed, "layers.0.self_attention.dense",
       "weight"},
      {"a wide weight not transposed", "h.0.mlp.c_fc.weight", transposed, "layers.0.mlp.dense_h_to_4h", "weight"},
      {"transposed twice under the old shape", "h.1.mlp.c_proj.weight", turned_back, "layers.1.mlp.dense_4h_to_h",
       "weight"},
      {"layer 0 taken for layer 1", "h.1.attn.c_proj.weight", instead("h.0.attn.c_proj.weight"),
       "layers.1.self_attention.dense", "weight"},
      {"a norm of the next layer", "h.0.ln_2.weight", instead("h.1.ln_2.weight"), "layers.0.post_attention_layernorm",
       "weight"},
      {"norm weight and bias exchanged", "h.0.ln_1.weight", instead("h.0.ln_1.bias"), "layers.0.input_layernorm",
       "weight"},
      {"shards of query, key, value in the wrong order", "h.0.attn.c_attn.weight", reordered({1, 0}), qkv_0, "weight"},
      {"shards of the wide weight in the wrong order", "h.1.mlp.c_fc.weight", reordered({1, 0}),
       "layers.1.mlp.dense_h_to_4h", "weight"},
      {"shards of a row-parallel weight in the wrong order", "h.0.mlp.c_proj.weight",
       [](const Values& value) {
         return joined({rows_of(value, inner / 2, inner), rows_of(value, 0, inner / 2)});
       },
       "layers.0.mlp.dense_4h_to_h", "weight"},
      {"a bias dropped", "h.0.attn.c_proj.bias", zeros, "layers.0.attention_residual",
       "layers.0.self_attention.dense.bias"},
      {"another bias dropped", "h.1.mlp.c_proj.bias", zeros, "layers.1", "mlp.dense_4h_to_h.bias"},
      {"a bias dropped inside the MLP", "h.0.mlp.c_fc.bias", zeros, "layers.0.mlp.activation",
       "layers.0.mlp.dense_h_to_4h.bias"},
      {"the tied head lost", "lm_head.weight", instead("other"), "logits", "word_embeddings.weight"},
      {"vocabulary rows off by one", "wte.weight", one_row_late, "embedding.word", "word_embeddings.weight"},
      {"positions off by two", "wpe.weight", two_rows_late, "embedding.position", "position_embeddings.weight"},
      {"the last norm not copied", "ln_f.bias", zeros, "final_layernorm", "bias"},
      {"a weight rounded on the way", "h.1.mlp.c_fc.weight", rounded, "layers.1.mlp.dense_h_to_4h", "weight"},
      {"a scale folded in twice", "h.0.attn.c_proj.weight", times(0.5F), "layers.0.self_attention.dense", "weight"},
      {"one element of one weight", "h.1.attn.c_attn.weight", one_element, qkv_1, "weight"},
  };
}

class ConverterFaults : public ::testing::TestWithParam<Case> {};

TEST_P(ConverterFaults, IsFoundAtItsWeight) {
  const Case& fault = GetParam();
  const TwoShapes shapes({}, [&](const std::string& name, Values& value) {
    if (name == fault.parameter) value = fault.change(value);
  });
  for (const bool forwards : {true, false}) {
    const Report report = forwards ? diff(shapes.a.view(), shapes.b.view()) : diff(shapes.b.view(), shapes.a.view());
    ASSERT_EQ(report.verdict, Verdict::diverged) << to_text(report);
    const PairReport& pair = report.roots.front().pair;
    const RecordId& of_megatron = forwards ? pair.id : pair.id_b;
    EXPECT_EQ(of_megatron.layer, fault.layer);
    EXPECT_EQ(of_megatron.index, fault.index);
    EXPECT_EQ(of_megatron.role, Role::param);
    EXPECT_EQ(report.roots.front().origin, Origin::weight);
    EXPECT_EQ(std::ranges::count(report.roots, Origin::weight, &Divergence::origin), 1) << to_text(report);
  }
}

INSTANTIATE_TEST_SUITE_P(All, ConverterFaults, ::testing::ValuesIn(cases()));

TEST(ConverterFaults, TheCorrectConversionHasNone) {
  DiffOptions options;
  options.gate.kind = GateKind::bitwise;
  for (const std::int64_t layers : {1, 2, 5}) {
    testing::TwoShapesOptions shape;
    shape.layers = layers;
    const TwoShapes shapes(shape);
    const Report report = diff(shapes.a.view(), shapes.b.view(), options);
    EXPECT_EQ(report.verdict, Verdict::same) << to_text(report);
    EXPECT_EQ(report.bitwise_equal, report.compared);
  }
}

}  // namespace
}  // namespace goldentrace
