#include "models/checkpoint_layer.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tanh.h>
#include <gmock/gmock.h>
#include <torch/csrc/autograd/autograd.h>

#include "models/cpu_random.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

// A block with a parameter, counting how often it runs.
struct Block {
  at::Tensor weight = at::randn({4, 4}).set_requires_grad(true);
  int runs = 0;
  std::vector<c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>> inside;

  at::Tensor operator()(const at::Tensor& x) {
    ++runs;
    const at::Tensor hidden = at::tanh(at::linear(x, weight));
    inside.emplace_back(hidden.getIntrusivePtr());
    return hidden.mul(hidden);
  }
};

struct Outcome {
  at::Tensor output, of_input, of_weight;
};

Outcome run(Block& block, Checkpointing checkpointing) {
  const at::Tensor leaf = at::ones({3, 4}).set_requires_grad(true);
  const at::Tensor x = leaf.mul(0.3);
  const at::Tensor y = checkpointing == Checkpointing::on
                           ? checkpoint_layer(x, [&](const at::Tensor& h) { return block(h); })
                           : block(x);
  y.mul(y).sum().backward();
  const Outcome result{y.detach(), leaf.grad(), block.weight.grad()};
  block.weight.mutable_grad().reset();
  return result;
}

class CheckpointLayer : public ::testing::Test {
 protected:
  CheckpointLayer() { seed_cpu_random(1); }
  RandomScope random_;
};

TEST_F(CheckpointLayer, SameBitsFromTwoRuns) {
  Block block;
  const Outcome plain = run(block, Checkpointing::off);
  EXPECT_EQ(block.runs, 1);
  const Outcome again = run(block, Checkpointing::on);
  EXPECT_EQ(block.runs, 3);
  EXPECT_TRUE(at::equal(plain.output, again.output));
  EXPECT_TRUE(at::equal(plain.of_input, again.of_input));
  EXPECT_TRUE(at::equal(plain.of_weight, again.of_weight));
}

TEST_F(CheckpointLayer, KeepsNothingInside) {
  Block block;
  const at::Tensor x = at::ones({3, 4}).set_requires_grad(true).mul(2);
  const at::Tensor kept = block(x);
  EXPECT_FALSE(block.inside.back().expired());
  const at::Tensor y = checkpoint_layer(x, [&](const at::Tensor& h) { return block(h); });
  EXPECT_TRUE(y.requires_grad());
  EXPECT_TRUE(block.inside.back().expired());
}

at::Tensor dropped(const at::Tensor& x) { return at::dropout(x, 0.5, true); }

// The gradient of ones dropped is the mask of the second computation, doubled like the output.
TEST_F(CheckpointLayer, DrawsAgainWhatWasDrawn) {
  for (const RecomputeDraws draws : {RecomputeDraws::repeated, RecomputeDraws::fresh}) {
    seed_cpu_random(1);
    const at::Tensor x = at::ones({8}).set_requires_grad(true);
    const at::Tensor y = checkpoint_layer(x, dropped, draws);
    const at::Tensor before = cpu_random_state();
    y.sum().backward();
    EXPECT_EQ(at::equal(y, x.grad()), draws == RecomputeDraws::repeated);
    EXPECT_EQ(at::equal(cpu_random_state(), before), draws == RecomputeDraws::repeated);
  }
}

TEST_F(CheckpointLayer, NestedOnes) {
  Block block;
  const at::Tensor x = at::ones({3, 4}).set_requires_grad(true);
  const auto inner = [&](const at::Tensor& h) {
    return checkpoint_layer(h, [&](const at::Tensor& g) { return block(g); });
  };
  checkpoint_layer(x, inner).sum().backward();
  EXPECT_EQ(block.runs, 3);
  const at::Tensor nested = x.grad().clone(), of_weight = block.weight.grad().clone();
  x.mutable_grad().reset();
  block.weight.mutable_grad().reset();
  block(x).sum().backward();
  EXPECT_TRUE(at::equal(nested, x.grad()));
  EXPECT_TRUE(at::equal(of_weight, block.weight.grad()));
}

TEST_F(CheckpointLayer, NothingToStartTheSecondComputation) {
  Block block;
  const auto body = [&](const at::Tensor& h) { return block(h); };
  checkpoint_layer(at::ones({3, 4}), body).sum().backward();
  EXPECT_EQ(block.runs, 1);
  EXPECT_TRUE(block.weight.grad().defined());
  const at::NoGradGuard off;
  EXPECT_FALSE(checkpoint_layer(at::ones({3, 4}).set_requires_grad(true), body).requires_grad());
}

TEST_F(CheckpointLayer, GradIsRefused) {
  const at::Tensor x = at::ones({8}).set_requires_grad(true);
  const at::Tensor loss = checkpoint_layer(x, dropped).sum();
  EXPECT_THROW(torch::autograd::grad({loss}, {x}), Error);
}

TEST_F(CheckpointLayer, AnErrorOfTheSecondComputationComesOut) {
  int runs = 0;
  const at::Tensor x = at::ones({8}).set_requires_grad(true);
  const at::Tensor loss = checkpoint_layer(x, [&](const at::Tensor& h) {
                            if (++runs == 2) throw Error(ErrorCode::usage, "second");
                            return h.mul(2);
                          }).sum();
  EXPECT_THROW(loss.backward(), Error);
}

}  // namespace
}  // namespace goldentrace
