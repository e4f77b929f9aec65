#include "models/accumulation_loop.h"

#include <ATen/ops/add.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mse_loss.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>

#include "models/cpu_random.h"
#include "models/linear_init.h"
#include "models/optimizer.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

using ::testing::HasSubstr;
using Tensors = std::vector<at::Tensor>;

class AccumulationLoop : public ::testing::Test {
 protected:
  AccumulationLoop() { seed_cpu_random(123); }
  RandomScope random_;
};

void expect_equal(const Tensors& a, const Tensors& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(at::equal(a[i], b[i])) << i;
}

// Linear(10, 20), ReLU, Linear(20, 5), as drawn after the seed 43.
struct TwoLayers {
  TwoLayers() {
    seed_cpu_random(43);
    first = draw_linear(10, 20);
    second = draw_linear(20, 5);
    for (at::Tensor each : parameters()) each.set_requires_grad(true);
  }
  Tensors parameters() const { return {first.weight, first.bias, second.weight, second.bias}; }
  at::Tensor loss(const at::Tensor& x, const at::Tensor& y) const {
    const at::Tensor hidden = at::relu(at::linear(x, first.weight, first.bias));
    return at::mse_loss(at::linear(hidden, second.weight, second.bias), y);
  }
  Affine first, second;
};

// The upstream unit test: 4 batches of 8 rows, one carried tensor that grows by 5.
TEST_F(AccumulationLoop, IsThePlainLoop) {
  const at::Tensor x = at::randn({4, 8, 10}), y = at::randn({4, 8, 5});
  const TwoLayers plain, looped;
  at::Tensor sum = at::zeros({});
  for (std::int64_t i = 0; i < 4; ++i) {
    const at::Tensor loss = plain.loss(x[i], y[i]).div(4);
    loss.backward();
    sum = sum.add(loss.detach());
  }
  const Tensors result = accumulate_gradients(
      [&](const Tensors& slices, const Tensors& carried) {
        return Tensors{looped.loss(slices[0], slices[1]), carried[0].add(5)};
      },
      {x, y}, looped.parameters(), {at::zeros({1})});
  expect_equal(result, {sum, at::full({1}, 20.F)});
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_TRUE(at::equal(plain.parameters()[i].grad(), looped.parameters()[i].grad())) << i;
  Sgd(plain.parameters(), 0.1).step();
  Sgd(looped.parameters(), 0.1).step();
  expect_equal(plain.parameters(), looped.parameters());
}

// Upstream gives those behind the first one in reverse.
TEST_F(AccumulationLoop, ThreeCarriedTensorsStayInOrder) {
  const at::Tensor w = at::ones({}).set_requires_grad(true);
  const Tensors result = accumulate_gradients(
      [&](const Tensors& slices, const Tensors& carried) {
        return Tensors{slices[0].mul(w), carried[0].add(1), carried[1].add(10), carried[2].add(w)};
      },
      {at::arange(4.F)}, {w}, {at::full({}, 0.F), at::full({}, 100.F), at::full({}, 200.F)});
  expect_equal(result, {at::full({}, 1.5F), at::full({}, 4.F), at::full({}, 140.F), at::full({}, 204.F)});
  for (const at::Tensor& each : result) EXPECT_FALSE(each.requires_grad());
}

// Loss c w: the gradient is c. 1e8 + 3 + 3 keeps a sum of small ones only where they are added first.
TEST_F(AccumulationLoop, SumsAreMadeApartAndAddedToWhatThereWas) {
  const at::Tensor w = at::ones({}).set_requires_grad(true), fixed = at::ones({});
  const at::Tensor before = at::full({}, 1e8F);
  at::Tensor(w).mutable_grad() = before;
  bool saw_gradient = false;
  const auto train_step = [&](const Tensors& slices, const Tensors&) {
    saw_gradient = saw_gradient || w.grad().defined();
    return Tensors{slices[0].mul(w).mul(fixed)};
  };
  accumulate_gradients(train_step, {at::full({2}, 3.F)}, {w, fixed}, {}, LossDivision::by_train_step);
  EXPECT_FALSE(saw_gradient);
  EXPECT_EQ(w.grad().item<float>(), 1e8F + 6.F);
  EXPECT_NE(1e8F + 6.F, 1e8F + 3.F + 3.F);
  EXPECT_TRUE(w.grad().is_same(before));
  EXPECT_FALSE(fixed.grad().defined());
}

TEST_F(AccumulationLoop, WhatWasNotUsedHasAGradientOfZeros) {
  const at::Tensor w = at::ones({}).set_requires_grad(true), unused = at::ones({3}).set_requires_grad(true);
  accumulate_gradients([&](const Tensors& slices, const Tensors&) { return Tensors{slices[0].mul(w)}; },
                       {at::ones({2})}, {w, unused});
  EXPECT_TRUE(at::equal(unused.grad(), at::zeros({3})));
}

// A message, and gradients as they were.
class RefusedLoop : public AccumulationLoop {
 protected:
  RefusedLoop() { w_.mutable_grad() = at::full({}, 7.F); }

  std::string refusal(const AccumulatedStep& step, const Tensors& iterables, const Tensors& carried = {}) const {
    try {
      accumulate_gradients(step, iterables, {w_}, carried);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage);
      EXPECT_EQ(w_.grad().item<float>(), 7.F);
      return error.what();
    }
    return "accepted";
  }
  std::string refusal(const Tensors& iterables, const Tensors& carried = {}) const {
    return refusal(
        [&](const Tensors& slices, const Tensors& now) {
          Tensors result{slices[0].sum().mul(w_)};
          result.insert(result.end(), now.begin(), now.end());
          return result;
        },
        iterables, carried);
  }
  std::string refusal_of_result(const std::function<Tensors(const at::Tensor& x)>& step) const {
    return refusal([&](const Tensors& slices, const Tensors&) { return step(slices[0]); }, {x_}, {carried_});
  }

  at::Tensor x_ = at::ones({2, 3}), carried_ = at::ones({2}), w_ = at::ones({}).set_requires_grad(true);
};

TEST_F(RefusedLoop, IterablesAreNamed) {
  EXPECT_THAT(refusal({}), HasSubstr("at least one iterable"));
  EXPECT_THAT(refusal({x_, at::Tensor()}), HasSubstr("iterable 1 is no tensor"));
  EXPECT_THAT(refusal({at::ones({})}), HasSubstr("iterable 0 is a scalar"));
  EXPECT_THAT(refusal({at::empty({0, 3})}), HasSubstr("iterable 0 is empty"));
  EXPECT_THAT(refusal({x_, x_, at::ones({5})}), HasSubstr("iterable 2 has leading size 5, iterable 0 has 2"));
  EXPECT_THAT(refusal({x_}, {carried_, at::Tensor()}), HasSubstr("carried tensor 1 is no tensor"));
  EXPECT_EQ(refusal({x_, at::ones({2})}, {carried_}), "accepted");
}

TEST_F(RefusedLoop, ResultsAreNamed) {
  const auto loss = [&](const at::Tensor& x) { return x.sum().mul(w_); };
  EXPECT_THAT(refusal_of_result([&](const auto& x) { return Tensors{loss(x)}; }), HasSubstr("not 1"));
  EXPECT_THAT(refusal_of_result([&](const auto& x) {
                return Tensors{x.mul(w_), carried_};
              }),
              HasSubstr("the loss of iteration 0 is no tensor of one element"));
  EXPECT_THAT(refusal_of_result([&](const auto& x) {
                return Tensors{x.sum(), carried_};
              }),
              HasSubstr("depends on no parameter"));
  EXPECT_THAT(refusal_of_result([&](const auto& x) {
                return Tensors{loss(x), at::ones({3})};
              }),
              HasSubstr("carried tensor 0 of iteration 0 is Float [3], it was Float [2]"));
  EXPECT_THAT(refusal_of_result([&](const auto& x) {
                return Tensors{loss(x), at::Tensor()};
              }),
              HasSubstr("carried tensor 0 of iteration 0 is no tensor"));
}

TEST_F(RefusedLoop, WritesInPlaceAreNamed) {
  const auto with = [&](const std::function<void(at::Tensor x, at::Tensor carried)>& write, std::int64_t iteration) {
    return refusal(
        [&, i = std::int64_t{0}](const Tensors& slices, const Tensors& carried) mutable {
          if (i++ == iteration) write(slices[1], carried[0]);
          return Tensors{slices[0].sum().mul(w_), carried[0]};
        },
        {x_, at::ones({2, 3})}, {carried_});
  };
  EXPECT_THAT(with([](at::Tensor x, at::Tensor) { x.add_(1); }, 1),
              HasSubstr("train_step wrote iterable 1 in place in iteration 1"));
  EXPECT_THAT(with([](at::Tensor, at::Tensor carried) { carried.add_(1); }, 0),
              HasSubstr("train_step wrote carried tensor 0 in place in iteration 0"));
  EXPECT_THAT(with([&](at::Tensor, at::Tensor) { w_.detach().add_(1); }, 0), HasSubstr("train_step wrote parameter 0"));
}

TEST_F(AccumulationLoop, EachIterationHasASeedOfItsOwn) {
  const at::Tensor w = at::ones({}).set_requires_grad(true);
  const auto draws = [&] {
    Tensors drawn;
    const auto train_step = [&](const Tensors& slices, const Tensors&) {
      drawn.push_back(at::rand({4}));
      if (slices[0].item<float>() == 1) at::rand({1000});  // must not shift the draws of the next iteration
      return Tensors{drawn.back().sum().mul(w)};
    };
    accumulate_gradients(train_step, {at::arange(3.F)}, {w});
    return drawn;
  };
  const Tensors first = draws(), second = draws();
  seed_cpu_random(123);
  expect_equal(draws(), first);
  EXPECT_FALSE(at::equal(first[0], first[1]));
  EXPECT_FALSE(at::equal(first[1], first[2]));
  EXPECT_FALSE(at::equal(first[0], second[0]));
}

TEST_F(AccumulationLoop, LeavesTheGeneratorWhereNothingWasDrawn) {
  const at::Tensor before = cpu_random_state(), w = at::ones({}).set_requires_grad(true);
  accumulate_gradients([&](const Tensors& slices, const Tensors&) { return Tensors{slices[0].mul(w)}; },
                       {at::ones({2})}, {w});
  EXPECT_TRUE(at::equal(cpu_random_state(), before));
}

}  // namespace
}  // namespace goldentrace
