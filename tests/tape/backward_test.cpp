#include "tape/backward.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "tests/tape/tape_recorder.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

at::Tensor leaf(at::IntArrayRef shape) { return at::randn(shape).mul_(0.1).requires_grad_(); }
at::Tensor inner(at::IntArrayRef shape) { return leaf(shape).clone(); }

std::vector<at::Tensor> ones_like(const std::vector<at::Tensor>& outputs) {
  std::vector<at::Tensor> made;
  for (const at::Tensor& output : outputs) {
    made.push_back(output.requires_grad() ? at::randn_like(output) : at::Tensor());
  }
  return made;
}

std::vector<at::Tensor> defined_roots(const std::vector<at::Tensor>& tensors,
                                      const std::vector<at::Tensor>& gradients) {
  std::vector<at::Tensor> made;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (gradients[i].defined()) made.push_back(tensors[i]);
  }
  return made;
}

std::vector<at::Tensor> only_defined(const std::vector<at::Tensor>& gradients) {
  return defined_roots(gradients, gradients);
}

// Gradients by autograd of the original run against those of the replayed one. `read`: the tensors that the layer
// reads, in the order of first use.
void expect_same_gradients(const std::vector<at::Tensor>& read, const std::function<std::vector<at::Tensor>()>& layer) {
  const TapedRun run = tape_of(layer);
  const std::vector<at::Tensor> totals = ones_like(run.outputs);
  const TapeRun again = run_tape(run.tape, inputs_of(run));
  const std::vector<at::Tensor> gradients = run_backward(again, totals);
  std::vector<at::Tensor> wanted;
  for (const at::Tensor& tensor : read) {
    if (tensor.requires_grad()) wanted.push_back(tensor);
  }
  const auto expected = torch::autograd::grad(defined_roots(run.outputs, totals), wanted, only_defined(totals),
                                              std::nullopt, false, true);
  ASSERT_EQ(gradients.size(), read.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < read.size(); ++i) {
    const at::Tensor original = read[i].requires_grad() ? expected[next++] : at::Tensor();
    EXPECT_TRUE(bit_equal(gradients[i], original)) << "read " << i;
  }
}

TEST(Backward, Linear) {
  const at::Tensor x = inner({4, 8});
  const at::Tensor w = leaf({16, 8});
  const at::Tensor b = leaf({16});
  expect_same_gradients({x, w, b}, [&] { return std::vector{at::gelu(at::linear(x, w, b), "tanh")}; });
}

TEST(Backward, TransformerBlock) {
  const at::Tensor x = inner({2, 5, 8});
  const at::Tensor g1 = leaf({8}), b1 = leaf({8}), qkv = leaf({8, 24}), qb = leaf({24}), out = leaf({8, 8}),
                   g2 = leaf({8}), b2 = leaf({8}), up = leaf({8, 32}), down = leaf({32, 8});
  const at::Tensor mask = at::ones({5, 5}, at::kBool).tril();
  expect_same_gradients({x, g1, b1, qb, qkv, mask, out, g2, b2, up, down}, [&] {
    const at::Tensor n = at::layer_norm(x, {8}, g1, b1);
    const auto parts = at::addmm(qb, n.view({-1, 8}), qkv).view({2, 5, 24}).split(8, 2);
    const auto heads = [](const at::Tensor& t) { return t.view({2, 5, 2, 4}).transpose(1, 2); };
    at::Tensor scores = at::matmul(heads(parts[0]), heads(parts[1]).transpose(-1, -2)) / 2.0;
    scores = at::where(mask, scores, at::full({}, -3.4028234663852886e38));
    const at::Tensor probs = at::dropout(at::softmax(scores, -1), 0.2, true);
    const at::Tensor context = at::matmul(probs, heads(parts[2])).transpose(1, 2).contiguous().view({2, 5, 8});
    const at::Tensor h = x + at::dropout(at::matmul(context, out), 0.1, true);
    const at::Tensor m = at::matmul(at::gelu(at::matmul(at::layer_norm(h, {8}, g2, b2), up), "tanh"), down);
    return std::vector{h + m};
  });
}

TEST(Backward, EmbeddingAndLoss) {
  const at::Tensor ids = at::tensor({1, 3, 3, 0}, at::kLong);
  const at::Tensor table = leaf({5, 8});
  const at::Tensor labels = at::tensor({2, -100, 4, 1}, at::kLong);
  expect_same_gradients({table, ids, labels}, [&] {
    const at::Tensor h = at::embedding(table, ids);
    return std::vector{at::cross_entropy_loss(at::matmul(h, table.t()), labels)};
  });
}

TEST(Backward, WeightUsedThreeTimes) {
  const at::Tensor x = inner({4, 8});
  const at::Tensor w = leaf({8, 8});
  expect_same_gradients({x, w},
                        [&] { return std::vector{at::matmul(at::matmul(at::matmul(x, w).relu(), w).relu(), w)}; });
}

TEST(Backward, InPlaceOnTheInput) {
  at::Tensor x = inner({4, 8});
  const at::Tensor before = x.view_as(x);
  const at::Tensor original = leaf({4, 8});
  at::Tensor written = original * 1;
  const TapedRun run = tape_of([&] { return std::vector{written.relu_() * 2}; });
  const at::Tensor total = at::randn({4, 8});
  const TapeRun again = run_tape(run.tape, inputs_of(run));
  const auto gradients = run_backward(again, {total});
  const auto expected = torch::autograd::grad({run.outputs[0]}, {original}, {total});
  EXPECT_TRUE(bit_equal(gradients[0], expected[0]));
}

TEST(Backward, UnusedOutputsAndInputsWithoutGradient) {
  const at::Tensor x = inner({4});
  const at::Tensor frozen = at::randn({4});
  const at::Tensor w = leaf({4});
  const TapedRun run = tape_of([&] { return std::vector{x * frozen, x * w}; });
  const TapeRun again = run_tape(run.tape, inputs_of(run));
  const auto gradients = run_backward(again, {at::ones({4}), {}});
  EXPECT_TRUE(bit_equal(gradients[0], frozen));
  EXPECT_FALSE(gradients[1].defined());
  EXPECT_FALSE(gradients[2].defined());
}

TEST(Backward, NothingArrives) {
  const at::Tensor x = inner({4});
  const TapedRun run = tape_of([&] { return std::vector{x * 2}; });
  EXPECT_FALSE(run_backward(run_tape(run.tape, inputs_of(run)), {at::Tensor()})[0].defined());
  EXPECT_THROW(run_backward(run_tape(run.tape, inputs_of(run)), {}), Error);
}

TEST(Backward, OutputUsedInsideTheLayer) {
  const at::Tensor x = leaf({4, 4});
  at::Tensor early;
  const TapedRun run = tape_of([&] {
    early = x.exp();
    return std::vector{early, early.sin()};
  });
  at::Tensor total;
  early.register_hook([&](const at::Tensor& gradient) { total = gradient.clone(); });
  const at::Tensor outside = at::randn({4, 4});
  const auto expected = torch::autograd::grad({early * outside, run.outputs[1]}, {x}, {at::ones({4, 4}), outside});
  const auto gradients = run_backward(run_tape(run.tape, inputs_of(run)), {total, outside});
  EXPECT_TRUE(bit_equal(gradients[0], expected[0]));
}

TEST(Backward, OneOutputTwice) {
  const at::Tensor x = leaf({4});
  const TapedRun run = tape_of([&] {
    const at::Tensor y = x * 3;
    return std::vector{y, y};
  });
  const auto gradients = run_backward(run_tape(run.tape, inputs_of(run)), {at::ones({4}), at::ones({4})});
  EXPECT_TRUE(bit_equal(gradients[0], at::full({4}, 3.0F)));
}

TEST(Backward, OutputsOfOneNode) {
  const at::Tensor x = inner({6});
  expect_same_gradients({x}, [&] { return at::split(x, 2); });
}

TEST(Backward, AnInputHandedThrough) {
  const at::Tensor x = inner({4});
  const TapedRun run = tape_of([&] { return std::vector{x, x * 3}; });
  const auto gradients = run_backward(run_tape(run.tape, inputs_of(run)), {at::full({4}, 100.0F), at::ones({4})});
  EXPECT_TRUE(bit_equal(gradients[0], at::full({4}, 3.0F)));
}

TEST(Backward, DetachedParts) {
  const at::Tensor x = inner({4});
  const at::Tensor w = leaf({4});
  expect_same_gradients({x, w}, [&] { return std::vector{x.detach() * w + x, x.detach()}; });
}

TEST(Backward, RefusesGradientsOfAnotherShape) {
  const at::Tensor x = inner({4});
  const TapedRun run = tape_of([&] { return std::vector{x * 2}; });
  try {
    run_backward(run_tape(run.tape, inputs_of(run)), {at::ones({5})});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace goldentrace
