// Words of a form, carried out on tensors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "diff/relation/arithmetic.h"
#include "diff/relation/element_math.h"
#include "diff/relation/form_plan.h"
#include "diff/relation/name_pattern.h"
#include "tests/diff/memory_trace.h"
#include "traces/elements.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

using testing::bytes_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<float> counting(std::int64_t count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 0.0F);
  return values;
}

struct Input {
  ShardPlace shard;
  Shape shape;
  std::vector<float> values;
};

class Bench {
 public:
  explicit Bench(std::vector<Input> inputs) : inputs_(std::move(inputs)) {}

  FormPlan plan(const std::string& form) const {
    std::vector<FormSource> sources;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      sources.push_back({static_cast<std::int64_t>(i), inputs_[i].shard, DType::float32, inputs_[i].shape});
    }
    FormContext context;
    context.value_of = [](std::size_t, std::string_view name) -> std::optional<double> {
      if (name == "n") return 2;
      return std::nullopt;
    };
    context.tokens = [](const FormSource& source) { return source.shard.micro == 0 ? 1.0 : 7.0; };
    context.partner = [](const FormStep&, const FormSource& source) {
      return FormSource{100, source.shard, DType::float32, {3}};
    };
    return FormPlan(Form(form), sources, context);
  }

  std::vector<std::byte> read(std::int64_t row) const {
    if (row == 100) return bytes_of(std::vector<float>{10, 20, 30});
    return bytes_of(inputs_[static_cast<std::size_t>(row)].values);
  }

  std::vector<double> apply(const std::string& form) const {
    return to_numbers(plan(form).apply([this](std::int64_t row) { return read(row); }), DType::float32);
  }

 private:
  std::vector<Input> inputs_;
};

Bench one(const Shape& shape) { return Bench({{{}, shape, counting(element_count(shape))}}); }

template <typename Action>
std::string error_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Form, TransposesAndPermutes) {
  EXPECT_THAT(one({2, 3}).apply("transpose(0, 1)"), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(one({2, 3}).apply("transpose"), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_EQ(one({2, 3, 4}).plan("permute(2, 0, 1)").shape(), (Shape{4, 2, 3}));
}

TEST(Form, RegroupsQueryKeyValueRows) {
  // (n 2, 3, d 2) to (3, n, d): the rows of head 0 and head 1 of each third come together.
  EXPECT_THAT(one({12}).apply("split(0, n, 3, -1) | transpose(0, 1) | merge(0, 3)"),
              ElementsAre(0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11));
}

TEST(Form, SplitsWhatWasMergedElsewhere) {
  EXPECT_THAT(one({2, 3, 2}).apply("transpose(0, 1) | merge(0, 2) | split(0, 3, 2) | transpose(0, 1) | merge(0, 3)"),
              ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
}

TEST(Form, SlicesAlsoBehindAMerge) {
  EXPECT_THAT(one({2, 3}).apply("slice(1, 1, 3)"), ElementsAre(1, 2, 4, 5));
  EXPECT_THAT(one({2, 3}).apply("transpose(0, 1) | merge(0, 2) | slice(0, 1, 4)"), ElementsAre(3, 1, 4));
}

TEST(Form, EveryIndexChangeCanBeUndone) {
  const Bench bench = one({4, 6, 2});
  const FormPlan plan = bench.plan("split(1, 3, 2) | permute(2, 0, 3, 1) | merge(1, 2) | scale(-4)");
  const auto raw = bench.read(0);
  const auto undone = plan.undo(plan.apply([&](std::int64_t row) { return bench.read(row); }));
  ASSERT_TRUE(undone);
  EXPECT_EQ(undone->front(), raw);
  EXPECT_FALSE(one({4}).plan("slice(0, 1, 3)").undo({}));
}

TEST(Form, CombinesMicroBatchesAndRanks) {
  const Bench bench(
      {{{0, 0}, {1, 2}, {1, 2}}, {{0, 1}, {1, 2}, {3, 4}}, {{1, 0}, {1, 2}, {5, 6}}, {{1, 1}, {1, 2}, {7, 8}}});
  EXPECT_THAT(bench.apply("sum(rank) | concat(0, micro)"), ElementsAre(4, 6, 12, 14));
  EXPECT_THAT(bench.apply("concat(1, rank) | mean(micro)"), ElementsAre(3, 4, 5, 6));
  EXPECT_THAT(bench.apply("partial-sum | sum(micro)"), ElementsAre(16, 20));
  EXPECT_THAT(bench.apply("replicated(rank) | concat(0, micro)"), ElementsAre(1, 2, 5, 6));
}

TEST(Form, WeighsByTargetsWhereTheyAreKnownAndUnequal) {
  const Bench unequal({{{0}, {1}, {2}}, {{1}, {1}, {5}}});
  EXPECT_THAT(unequal.apply("weighted-mean(micro, targets)"), ElementsAre(4.625));
  EXPECT_THAT(unequal.apply("weigh(micro, targets) | concat(0, micro)"), ElementsAre(0.25, 4.375));
  const Bench equal({{{0, 0}, {1}, {2}}, {{0, 1}, {1}, {5}}});
  EXPECT_THAT(equal.apply("weighted-mean(data, targets)"), ElementsAre(3.5));
  const FormPlan plan = equal.plan("weigh(data, targets) | concat(0, data)");
  EXPECT_EQ(plan.undo(bytes_of(std::vector<float>{1, 2.5F})),
            (std::vector{bytes_of(std::vector<float>{2}), bytes_of(std::vector<float>{5})}));
  EXPECT_THAT(error_of([&] { equal.plan("weigh(data, tagrets)"); }), HasSubstr("did you mean 'targets'?"));
}

TEST(Form, KnowsWhichRecordAnElementComesFrom) {
  const Bench bench({{{0, 0}, {2, 2}, {0, 0, 0, 0}},
                     {{0, 1}, {2, 2}, {1, 1, 1, 1}},
                     {{1, 0}, {2, 2}, {2, 2, 2, 2}},
                     {{1, 1}, {2, 2}, {3, 3, 3, 3}}});
  for (const std::string form :
       {"concat(0, rank) | concat(1, micro)", "concat(1, micro) | concat(0, rank) | transpose(0, 1)",
        "transpose(0, 1) | concat(0, micro) | concat(1, rank)"}) {
    const FormPlan plan = bench.plan(form);
    const std::vector<double> values = bench.apply(form);
    for (std::size_t i = 0; i < values.size(); ++i)
      EXPECT_EQ(plan.source_at(static_cast<std::int64_t>(i)), static_cast<std::int64_t>(values[i])) << form;
  }
  EXPECT_FALSE(bench.plan("sum(rank) | concat(0, micro)").source_at(0));
}

TEST(Form, WeighsByTokensOrByGivenWeights) {
  const Bench bench({{{0}, {1}, {2}}, {{1}, {1}, {5}}});
  EXPECT_THAT(bench.apply("weighted-mean(micro, tokens)"), ElementsAre(4.625));
  EXPECT_THAT(bench.apply("weighted-mean(micro, 1 / 4, 3 / 4)"), ElementsAre(4.25));
  EXPECT_THAT(error_of([&] { bench.plan("weighted-mean(micro, 0.5, 0.4)"); }), HasSubstr("sum to 0.9, not to 1"));
  EXPECT_THAT(error_of([&] { bench.plan("weighted-mean(micro, 1)"); }), HasSubstr("1 weights for 2 records"));
}

TEST(Form, AddsAnotherRecordToEveryRow) {
  EXPECT_THAT(one({2, 3}).apply("plus(x, param, bias)"), ElementsAre(10, 21, 32, 13, 24, 35));
}

TEST(Form, CastsWithOneRounding) {
  const Bench bench({Input{{}, {2}, {1.0009765F, 3}}});
  const FormPlan plan = bench.plan("cast(float16)");
  EXPECT_EQ(plan.dtype(), DType::float16);
  const auto bytes = plan.apply([&](std::int64_t row) { return bench.read(row); });
  EXPECT_THAT(to_numbers(bytes, DType::float16), ElementsAre(1.0009765625, 3));
}

TEST(Form, LinearFormsActOnSketches) {
  const Bench bench({{{0}, {2}, {1, 2}}, {{1}, {2}, {3, 5}}});
  const FormPlan plan = bench.plan("mean(micro) | scale(2)");
  ASSERT_TRUE(plan.is_linear());
  const Sketch sketch = plan.sketch([](std::int64_t row) { return row == 0 ? Sketch{1, 2} : Sketch{3, 5}; });
  EXPECT_THAT(sketch, ElementsAre(4, 7));
  EXPECT_FALSE(one({2, 2}).plan("transpose").is_linear());
}

TEST(Form, SaysWhatDoesNotFit) {
  EXPECT_THAT(error_of([] { Form("transpos(0, 1)"); }), HasSubstr("did you mean 'transpose'?"));
  EXPECT_THAT(error_of([] { Form("sum(mikro)"); }), HasSubstr("did you mean 'micro'?"));
  EXPECT_THAT(error_of([] { Form("merge(0)"); }), HasSubstr("write it as merge(axis, count)"));
  EXPECT_THAT(error_of([] { Form("common(0) | transpose"); }), HasSubstr("must be the last word"));
  EXPECT_THAT(error_of([] { Form("cast(int64)"); }), HasSubstr("only floating types"));
  EXPECT_THAT(error_of([] { one({2, 3}).plan("split(1, 2, 2)"); }), HasSubstr("3 cannot be split into [2, 2]"));
  EXPECT_THAT(error_of([] { one({2, 3}).plan("transpose(0, 2)"); }), HasSubstr("axis 2 is not there"));
  EXPECT_THAT(error_of([] { one({2, 3}).plan("split(1, m, -1)"); }), HasSubstr("'m' has no value"));
  EXPECT_THAT(error_of([] {
                Bench({{{0}, {1}, {1}}, {{1}, {1}, {1}}}).plan("scale(2)");
              }),
              HasSubstr("2 records of it are left"));
}

TEST(Arithmetic, Evaluates) {
  const NameValue names = [](std::string_view name) { return name == "i" ? std::optional(3.0) : std::nullopt; };
  EXPECT_EQ(evaluate("max(1, i)", names), 3);
  EXPECT_EQ(evaluate("-(i + 1) / 2 * 3", names), -6);
  EXPECT_THAT(error_of([&] { evaluate("1 / 0", names); }), HasSubstr("division by zero"));
  EXPECT_THAT(error_of([&] { evaluate("i 2", names); }), HasSubstr("not expected"));
  EXPECT_THAT(error_of([&] { evaluate(std::string(100, '('), names); }), HasSubstr("nested too deeply"));
}

TEST(NamePattern, CarriesItsPartsOver) {
  const auto found = NamePattern("layers.{i}.mlp.*").match("layers.12.mlp.dense.x");
  ASSERT_TRUE(found);
  EXPECT_EQ(NamePattern("h.{i}.*").expand(*found), "h.12.dense.x");
  EXPECT_FALSE(NamePattern("layers.{i}").match("layers.1.mlp"));
  EXPECT_FALSE(NamePattern("{i}.{i}").match("1.2"));
  EXPECT_TRUE(NamePattern("{i}.{i}").match("7.7"));
}

}  // namespace
}  // namespace goldentrace
