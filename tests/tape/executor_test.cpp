#include "tape/executor.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/autocast_mode.h>
#include <c10/core/GradMode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tape/tape_recorder.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

using testing::HasSubstr;

// Runs the tape of `layer` again and wants the same bits.
TapedRun expect_same_bits(const std::function<std::vector<at::Tensor>()>& layer) {
  TapedRun run = tape_of(layer);
  const TapeRun again = run_tape(run.tape, inputs_of(run));
  EXPECT_EQ(again.outputs.size(), run.outputs.size());
  for (std::size_t i = 0; i < run.outputs.size(); ++i) {
    EXPECT_TRUE(bit_equal(again.outputs[i], run.outputs[i])) << "output " << i;
    EXPECT_EQ(again.outputs[i].requires_grad(), run.outputs[i].requires_grad()) << "output " << i;
    EXPECT_EQ(again.outputs[i].strides(), run.outputs[i].strides()) << "output " << i;
  }
  EXPECT_TRUE(again.notes.empty());
  return run;
}

at::Tensor weight(at::IntArrayRef shape) { return at::randn(shape).mul_(0.1).requires_grad_(); }

TEST(Executor, ViewsAndInPlace) {
  const at::Tensor x = at::randn({4, 6});
  expect_same_bits([&] {
    at::Tensor y = x * 2;
    y.t().select(0, 1).mul_(3);
    y.slice(1, 2, 4).relu_();
    return std::vector{y, y.t(), y.reshape({3, 8})};
  });
}

TEST(Executor, ExternalsWrittenInPlace) {
  at::Tensor x = at::randn({4, 6});
  const TapedRun run = tape_of([&] { return std::vector{x.add_(1), x * 2}; });
  const TapeRun again = run_tape(run.tape, inputs_of(run));
  EXPECT_TRUE(bit_equal(again.outputs[0], x));
  EXPECT_TRUE(bit_equal(again.outputs[1], x * 2));
}

TEST(Executor, ExternalsThatShareMemory) {
  at::Tensor base = at::randn({4, 6});
  at::Tensor row = base.select(0, 1);
  at::Tensor column = base.select(1, 2);
  const TapedRun run = tape_of([&] {
    row.zero_();
    return std::vector{column * 1};
  });
  ASSERT_EQ(run.externals.size(), 2U);
  const TapeRun again = run_tape(run.tape, inputs_of(run));
  EXPECT_EQ(again.outputs[0][1].item<float>(), 0.0F);
  EXPECT_TRUE(bit_equal(again.outputs[0], column));
}

TEST(Executor, NonContiguousExternals) {
  const at::Tensor x = at::randn({6, 4}).t();
  const at::Tensor wide = at::randn({1, 4}).expand({5, 4});
  const at::Tensor channels = at::randn({2, 3, 4, 5}).contiguous(at::MemoryFormat::ChannelsLast);
  const at::Tensor every_other = at::randn({20}).slice(0, 3, 19, 2);
  expect_same_bits([&] { return std::vector{x + 1, wide.sigmoid(), channels * 2, every_other.exp()}; });
}

TEST(Executor, OutVariants) {
  const at::Tensor x = at::randn({4, 4});
  expect_same_bits([&] {
    at::Tensor out = at::zeros({4, 4});
    at::mul_out(out, x, x);
    at::add_out(out, out, x);
    return std::vector{out};
  });
}

TEST(Executor, DataAliases) {
  const at::Tensor x = at::randn({4, 4});
  expect_same_bits([&] {
    at::Tensor y = x * 2;
    y.variable_data().mul_(3);
    return std::vector{y + 1};
  });
}

TEST(Executor, Einsum) {
  const at::Tensor a = at::randn({2, 3, 4});
  const at::Tensor b = at::randn({2, 4, 5});
  expect_same_bits([&] { return std::vector{at::einsum("bij,bjk->bik", {a, b})}; });
}

TEST(Executor, ListsAndIndices) {
  const at::Tensor a = at::randn({3, 4});
  const at::Tensor mask = at::arange(3).ne(1);
  const at::Tensor rows = at::tensor({2, 0}, at::kLong);
  expect_same_bits([&] {
    const at::Tensor joined = at::cat({a, a + 1}, 0);
    const auto parts = joined.split_with_sizes({1, 5});
    at::Tensor written = a.clone();
    written.index_put_({mask}, at::zeros({}));
    c10::List<std::optional<at::Tensor>> second({std::nullopt, rows});
    return std::vector{parts[1], at::stack(a.unbind(0)),      a.index({mask}), at::index(a, second),
                       written,  a.masked_fill(a.gt(0), -1e9)};
  });
}

TEST(Executor, OptionalAndUndefinedArguments) {
  const at::Tensor x = at::randn({2, 3, 8});
  const at::Tensor w = weight({8});
  expect_same_bits([&] {
    return std::vector{at::layer_norm(x, {8}, w, {}), at::clamp(x, std::nullopt, 0.5), x.sum({-1}, true, at::kDouble),
                       at::empty({2}).fill_(1)};
  });
}

TEST(Executor, DropoutReplaysFromTheState) {
  const at::Tensor x = at::randn({64, 64});
  at::randn({3});
  const at::Tensor state = at::detail::getDefaultCPUGenerator().get_state();
  const TapedRun run = expect_same_bits([&] { return std::vector{at::dropout(x, 0.3, true), at::rand({4})}; });
  EXPECT_TRUE(bit_equal(run.random_state, state));
}

TEST(Executor, LeavesTheCallersModesAlone) {
  const TapedRun run = tape_of([&] { return std::vector{at::rand({4}) + 1}; });
  const c10::AutoGradMode no_grad(false);
  const at::Tensor before = at::detail::getDefaultCPUGenerator().get_state();
  run_tape(run.tape, inputs_of(run), {.dtype = DType::float64});
  EXPECT_TRUE(bit_equal(at::detail::getDefaultCPUGenerator().get_state(), before));
  EXPECT_FALSE(c10::GradMode::is_enabled());
  EXPECT_EQ(at::ones({}).scalar_type(), at::kFloat);
}

TEST(Executor, OwnGenerators) {
  at::Generator own = at::detail::createCPUGenerator(7);
  const at::Tensor x = at::zeros({8});
  expect_same_bits([&] {
    const at::Tensor first = at::empty({8}).normal_(0, 1, own);
    return std::vector{first, at::bernoulli(x + 0.5, own)};
  });
}

TEST(Executor, GradModes) {
  const at::Tensor w = weight({4});
  expect_same_bits([&] {
    at::Tensor frozen;
    {
      const c10::AutoGradMode no_grad(false);
      frozen = w * 2;
    }
    return std::vector{frozen, w * 2, w.detach() + 1, frozen + w};
  });
}

TEST(Executor, Autocast) {
  const at::Tensor x = at::randn({4, 8});
  const at::Tensor w = weight({8, 8});
  const TapedRun run = expect_same_bits([&] {
    at::autocast::set_autocast_enabled(at::kCPU, true);
    at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
    const at::Tensor y = at::matmul(x, w);
    at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(at::kCPU, false);
    return std::vector{y, at::matmul(x, w)};
  });
  EXPECT_EQ(run.outputs[0].scalar_type(), at::kBFloat16);
  EXPECT_EQ(run.tape.ops[0].autocast, DType::bfloat16);
  const TapeRun wide = run_tape(run.tape, inputs_of(run, DType::float64), {.dtype = DType::float64});
  EXPECT_EQ(wide.outputs[0].scalar_type(), at::kDouble);
  EXPECT_FALSE(at::autocast::is_autocast_enabled(at::kCPU));
}

TEST(Executor, RunsInFloat64) {
  const at::Tensor x = at::randn({4, 8});
  const at::Tensor w = weight({8, 8});
  const at::Tensor ids = at::tensor({3, 1}, at::kLong);
  const TapedRun run = tape_of([&] {
    const at::Tensor mask = at::full({4, 8}, 0.1, at::TensorOptions(at::kFloat));
    const at::Tensor made = at::ones({8}) + at::arange(8);
    return std::vector{at::matmul(x, w).to(at::kFloat) / 3 + mask, at::softmax(x, -1, at::kFloat), made, w.index({ids}),
                       ids + 1};
  });
  const TapeRun wide = run_tape(run.tape, inputs_of(run, DType::float64), {.dtype = DType::float64});
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(wide.outputs[i].scalar_type(), at::kDouble) << i;
    EXPECT_TRUE(at::allclose(wide.outputs[i], run.outputs[i].to(at::kDouble), 1e-5, 1e-6)) << i;
  }
  EXPECT_EQ(wide.outputs[4].scalar_type(), at::kLong);
  const at::Tensor exact = at::matmul(x.to(at::kDouble), w.to(at::kDouble)) / 3 + 0.1;
  EXPECT_TRUE(bit_equal(wide.outputs[0], exact));
}

TEST(Executor, KeepsOpResultsAsTheyWere) {
  const at::Tensor x = at::ones({2});
  const TapedRun run = tape_of([&] {
    at::Tensor y = x * 2;
    y.add_(1);
    return std::vector{y};
  });
  const TapeRun again = run_tape(run.tape, inputs_of(run), {.keep_op_results = true});
  ASSERT_EQ(again.op_results.size(), 2U);
  EXPECT_EQ(again.op_results[0][0][0].item<float>(), 2.0F);
  EXPECT_EQ(again.op_results[1][0][0].item<float>(), 3.0F);
}

TEST(Executor, NotesBakedInValues) {
  at::Tensor x = at::ones({2});
  TapedRun run = tape_of([&] { return std::vector{x * x.sum().item<double>()}; });
  EXPECT_TRUE(run_tape(run.tape, inputs_of(run)).notes.empty());
  run.externals[0].mul_(2);
  const TapeRun other = run_tape(run.tape, inputs_of(run));
  ASSERT_EQ(other.notes.size(), 1U);
  EXPECT_THAT(other.notes[0], HasSubstr("another value"));
}

}  // namespace
}  // namespace goldentrace
