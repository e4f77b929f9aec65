#include "diff/divergence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/diff/memory_trace.h"

namespace goldentrace {
namespace {

using ::testing::ElementsAre;
using testing::floats;
using testing::id_of;
using ::testing::IsEmpty;
using testing::MemoryTrace;
using testing::op;
using testing::real_argument;
using testing::tape_of;
using testing::tensor_argument;

// Two traces with the same records; which of them differ is said by their values.
class Pairs {
 public:
  // `other`: B's value differs from A's.
  std::int64_t add(const std::string& layer, Role role, bool other, std::vector<std::int64_t> producers = {},
                   Pass pass = Pass::forward) {
    const auto value = static_cast<float>(a.records.size());
    RecordId id = id_of(layer, role, "0", pass);
    a.add(id, floats({value, 1}), producers);
    return b.add(id, floats({value, other ? 2.0F : 1.0F}), producers);
  }

  // The same tensor as record `row` under another label.
  std::int64_t repeat(std::int64_t row, const std::string& layer, std::vector<std::int64_t> producers) {
    Record copy_a = a.records[static_cast<std::size_t>(row)];
    Record copy_b = b.records[static_cast<std::size_t>(row)];
    copy_a.id.layer = copy_b.id.layer = layer;
    copy_a.producers = copy_b.producers = producers;
    a.records.push_back(copy_a);
    b.records.push_back(copy_b);
    return static_cast<std::int64_t>(a.records.size()) - 1;
  }

  Divergences find(std::vector<std::int64_t> weights = {}) const {
    const TraceView view_a = a.view();
    const TraceView view_b = b.view();
    const Alignment alignment = align(view_a.records, view_b.records);
    std::vector<PairState> states;
    std::vector<std::uint8_t> flags(alignment.pairs.size(), 0);
    for (const RecordPair& pair : alignment.pairs) {
      const bool equal = view_a.records[static_cast<std::size_t>(pair.a)].fingerprint.hash ==
                         view_b.records[static_cast<std::size_t>(pair.b)].fingerprint.hash;
      const bool passes = std::ranges::find(within, pair.a) != within.end();
      states.push_back(equal ? PairState::bit_equal : passes ? PairState::within : PairState::differs);
    }
    for (const std::int64_t weight : weights) flags[static_cast<std::size_t>(weight)] = 1;
    const Dataflow graph(view_a.records, view_b.records, alignment);
    return find_divergences({view_a, view_b, alignment, states, flags}, graph, LayerCode(view_a, view_b));
  }

  // The layer's tape, with another argument in B where `other`.
  void code(const std::string& layer, bool other) {
    for (MemoryTrace* trace : {&a, &b}) {
      const double factor = other && trace == &b ? 2 : 1;
      trace->call(layer, tape_of(layer, {op("aten::mul", {tensor_argument(0), real_argument(factor)}, 1)}));
    }
  }

  MemoryTrace a, b;
  std::vector<std::int64_t> within;  // rows that differ within the gate
};

// A chain of four layers: `first` differs and all that reads it agrees, but `last` differs again.
struct Remnant : Pairs {
  explicit Remnant(bool conducting) {
    first = add("first", Role::output, true);
    arrival = add("second", Role::input, true, {first});
    within.push_back(add("second", Role::output, conducting, {arrival}));
    within.push_back(add("third", Role::input, conducting, {within.back()}));
    last = add("third", Role::output, true, {within.back()});
  }

  std::int64_t first, arrival, last;
};

TEST(Divergence, IsTheMismatchWhoseProducersAgree) {
  Pairs pairs;
  const auto input = pairs.add("x", Role::input, false);
  const auto output = pairs.add("x", Role::output, true, {input});
  const auto next = pairs.add("y", Role::input, true, {output});
  pairs.add("loss", Role::loss, true, {next});
  EXPECT_THAT(pairs.find().roots, ElementsAre(output));
  EXPECT_EQ(pairs.find().mismatched.size(), 3U);
}

TEST(Divergence, GoesByTheGraphAndNotByTheList) {
  Pairs pairs;
  const auto x = pairs.add("x", Role::output, false);
  const auto y = pairs.add("y", Role::output, true);
  const auto z = pairs.add("z", Role::loss, true, {x});
  EXPECT_THAT(pairs.find().roots, ElementsAre(y, z)) << "independent roots are all named";
}

TEST(Divergence, AbsorbsWhatEveryConsumerIsInvariantTo) {
  Pairs pairs;
  const auto output = pairs.add("x", Role::output, true);
  const auto input = pairs.add("norm", Role::input, true, {output});
  const auto norm = pairs.add("norm", Role::output, false, {input});
  pairs.add("loss", Role::loss, false, {norm});
  const Divergences found = pairs.find();
  EXPECT_THAT(found.absorbed, ElementsAre(output, input));
  EXPECT_THAT(found.mismatched, IsEmpty());
  EXPECT_THAT(found.roots, IsEmpty());
}

TEST(Divergence, AbsorbsNothingThatOneConsumerFeels) {
  Pairs pairs;
  const auto output = pairs.add("x", Role::output, true);
  pairs.add("y", Role::output, false, {output});
  pairs.add("z", Role::output, true, {output});
  EXPECT_THAT(pairs.find().absorbed, IsEmpty());
  EXPECT_THAT(pairs.find().roots, ElementsAre(output));
}

TEST(Divergence, AbsorbsNoDifferenceThatOnlyShrinks) {
  Pairs pairs;
  const auto norm = pairs.add("norm", Role::output, true);
  const auto linear = pairs.add("linear", Role::output, true, {pairs.add("linear", Role::input, true, {norm})});
  pairs.add("softmax", Role::output, false, {pairs.add("softmax", Role::input, true, {linear})});
  const Divergences found = pairs.find();
  EXPECT_THAT(found.roots, ElementsAre(norm));
  EXPECT_THAT(found.absorbed, ElementsAre(linear, linear + 1)) << "the output and what arrives of it";
}

TEST(Divergence, IsWhatWasShrunkIntoTheGateWhenItsRemainsLeaveIt) {
  Remnant pairs(true);
  pairs.code("first", true);
  pairs.code("third", false);
  const Divergences found = pairs.find();
  EXPECT_THAT(found.roots, ElementsAre(pairs.first)) << "the same code cannot have made the last difference";
  EXPECT_THAT(found.absorbed, IsEmpty());
  EXPECT_THAT(found.mismatched, ElementsAre(pairs.first, pairs.arrival, pairs.last));
  ASSERT_EQ(found.remains.size(), 1U);
  EXPECT_EQ(found.remains[0].pair, pairs.first);
  EXPECT_EQ(found.remains[0].leaves_at, pairs.last);
}

TEST(Divergence, IsWhereOtherCodeMadeItWhateverWasAbsorbedBefore) {
  Remnant pairs(true);
  pairs.code("third", true);
  EXPECT_THAT(pairs.find().roots, ElementsAre(pairs.last));
  EXPECT_THAT(pairs.find().absorbed, ElementsAre(pairs.first, pairs.arrival));
  Remnant unknown(true);
  EXPECT_THAT(unknown.find().roots, ElementsAre(unknown.last)) << "no code recorded";
}

TEST(Divergence, StaysAbsorbedWhereOnlyEqualBitsLeadOn) {
  Remnant pairs(false);
  pairs.code("third", false);
  EXPECT_THAT(pairs.find().roots, ElementsAre(pairs.last));
  EXPECT_THAT(pairs.find().absorbed, ElementsAre(pairs.first, pairs.arrival));
}

TEST(Divergence, WithdrawsTheNearestAbsorptionOnly) {
  Pairs pairs;
  const auto early = pairs.add("early", Role::output, true);
  pairs.within.push_back(pairs.add("norm", Role::output, true, {early}));
  const auto late = pairs.add("late", Role::output, true, {pairs.within.back()});
  pairs.within.push_back(pairs.add("soft", Role::output, true, {late}));
  const auto last = pairs.add("last", Role::output, true, {pairs.within.back()});
  pairs.code("late", true);
  pairs.code("last", false);
  EXPECT_THAT(pairs.find().roots, ElementsAre(late));
  EXPECT_THAT(pairs.find().absorbed, ElementsAre(early));
  EXPECT_THAT(pairs.find().mismatched, ElementsAre(late, last));
}

TEST(Divergence, CarriedOnByTheSameCodeIsNoRoot) {
  for (const bool other_code : {false, true}) {
    Pairs pairs;
    const auto first = pairs.add("first", Role::output, true);
    pairs.within.push_back(pairs.add("middle", Role::output, true, {first}));
    pairs.add("reader", Role::output, true, {first});
    const auto last = pairs.add("last", Role::output, true, {pairs.within.back()});
    pairs.code("last", other_code);
    const Divergences found = pairs.find();
    if (other_code) {
      EXPECT_THAT(found.roots, ElementsAre(first, last));
    } else {
      EXPECT_THAT(found.roots, ElementsAre(first));
    }
  }
}

TEST(Divergence, NeverAbsorbsUnreadOutputs) {
  Pairs pairs;
  pairs.add("x", Role::output, true);
  EXPECT_THAT(pairs.find().roots, ElementsAre(0));
}

TEST(Divergence, NeverAbsorbsParametersGradientsAndLosses) {
  for (const Role role : {Role::param, Role::param_grad, Role::buffer, Role::loss}) {
    Pairs pairs;
    const auto row = pairs.add("x", role, true);
    pairs.add("y", Role::output, false, {row});
    EXPECT_THAT(pairs.find().absorbed, IsEmpty());
    EXPECT_THAT(pairs.find().roots, ElementsAre(row));
  }
}

TEST(Divergence, GoesToTheInnermostLabel) {
  Pairs pairs;
  const auto input = pairs.add("h.mlp.act", Role::input, false);
  const auto inner = pairs.add("h.mlp.act", Role::output, true, {input});
  pairs.repeat(inner, "h.mlp", {input});
  pairs.repeat(inner, "h", {input});
  EXPECT_THAT(pairs.find().roots, ElementsAre(inner));
}

TEST(Divergence, GoesToTheInnermostLabelWhateverTheOrder) {
  Pairs pairs;
  const auto outer = pairs.add("h", Role::input, true);
  const auto inner = pairs.repeat(outer, "h.ln", {});
  EXPECT_THAT(pairs.find().roots, ElementsAre(inner));
}

TEST(Divergence, OfAWeightGoesToTheInnermostLabelThatReadsIt) {
  Pairs pairs;
  const auto outer = pairs.add("h", Role::param, true);
  const auto middle = pairs.repeat(outer, "h.attn", {outer});
  const auto inner = pairs.repeat(outer, "h.attn.c_attn", {middle});
  pairs.add("h.attn.c_attn", Role::output, true, {inner});
  EXPECT_THAT(pairs.find().roots, ElementsAre(inner));
}

TEST(Divergence, AbsorbsAnOutputOfNestedLabelsAsOne) {
  Pairs pairs;
  const auto inner = pairs.add("h.mlp", Role::output, true);
  const auto outer = pairs.repeat(inner, "h", {});
  pairs.add("norm", Role::output, false, {inner});
  EXPECT_THAT(pairs.find().absorbed, ElementsAre(inner, outer));
}

TEST(Divergence, ListsWeightsFirst) {
  Pairs pairs;
  const auto early = pairs.add("x", Role::output, true);
  const auto weight = pairs.add("y", Role::param, true);
  EXPECT_THAT(pairs.find({weight}).roots, ElementsAre(weight, early));
}

TEST(Divergence, CountsAWeightOnceForAllItsCalls) {
  Pairs pairs;
  const auto weight = pairs.add("y", Role::param, true);
  pairs.repeat(weight, "z", {});
  EXPECT_THAT(pairs.find().roots, ElementsAre(weight));
}

TEST(Divergence, LooksThroughRecordsWithoutAPartner) {
  Pairs pairs;
  const auto x = pairs.add("x", Role::output, true);
  const auto extra = pairs.b.add(id_of("only_b", Role::output), floats({9}), {x});
  const auto other = pairs.a.add(id_of("only_a", Role::output), floats({8}), {x});
  pairs.a.add(id_of("y", Role::input), floats({5}), {other});
  pairs.b.add(id_of("y", Role::input), floats({6}), {extra});
  EXPECT_THAT(pairs.find().roots, ElementsAre(x)) << "y follows from x through unpaired records";
}

TEST(Divergence, CountsWhatFollows) {
  Pairs pairs;
  const auto root = pairs.add("x", Role::output, true);
  const auto next = pairs.add("y", Role::output, true, {root});
  pairs.add("z", Role::output, true, {next});
  pairs.add("other", Role::output, true);
  const Alignment alignment = align(pairs.a.records, pairs.b.records);
  const Dataflow graph(pairs.a.records, pairs.b.records, alignment);
  const TraceView a = pairs.a.view();
  const TraceView b = pairs.b.view();
  const std::vector<PairState> states(alignment.pairs.size(), PairState::differs);
  EXPECT_EQ(count_followers({a, b, alignment, states, {}}, graph, pairs.find(), root), 2);
}

TEST(Dataflow, IgnoresProducersThatDoNotComeBefore) {
  Pairs pairs;
  pairs.add("x", Role::output, true, {0, 7, -1});
  const Alignment alignment = align(pairs.a.records, pairs.b.records);
  EXPECT_THAT(Dataflow(pairs.a.records, pairs.b.records, alignment).producers(0), IsEmpty());
}

}  // namespace
}  // namespace goldentrace
