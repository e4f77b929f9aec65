// How the parts round in half types, by figures measured with torch in Python. Counts rest on kernels: patterns are
// tested, not digits.
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>

#include "models/activation.h"
#include "models/attention_core.h"
#include "models/layer_norm.h"
#include "models/linear_arithmetic.h"
#include "models/rotary.h"

namespace goldentrace {
namespace {

struct Difference {
  std::int64_t count = 0;
  double largest = 0;
};

Difference difference(const at::Tensor& a, const at::Tensor& b) {
  return {a.ne(b).sum().item<std::int64_t>(), a.to(at::kDouble).sub(b.to(at::kDouble)).abs().max().item<double>()};
}

at::Tensor norm(LnVariant variant, const at::Tensor& x, double eps = 1e-5) {
  const at::Tensor one = at::ones({x.size(-1)}, x.options()), none = at::zeros({x.size(-1)}, x.options());
  return layer_norm(variant, HalfMode::emulated, x, {one, none}, eps);
}

at::Tensor small_rows() {
  const at::Generator generator = at::detail::createCPUGenerator(0);
  return at::rand({5, 128}, generator).mul(0.1).to(at::kHalf);
}

TEST(LayerNormVariants, MomentsInHalf) {
  const Difference found =
      difference(norm(LnVariant::half_moments, small_rows()), norm(LnVariant::honest, small_rows()));
  EXPECT_NEAR(static_cast<double>(found.count), 406, 20);
  EXPECT_NEAR(found.largest, 0.00195, 1e-5);
}

TEST(LayerNormVariants, OthersAreHonestUntilEpsCounts) {
  const at::Tensor x = small_rows();
  EXPECT_EQ(difference(norm(LnVariant::upcast_half_only, x), norm(LnVariant::honest, x)).count, 0);
  EXPECT_EQ(difference(norm(LnVariant::eps_ignored, x), norm(LnVariant::honest, x)).count, 0);
  EXPECT_GT(difference(norm(LnVariant::eps_ignored, x, 1e-3), norm(LnVariant::honest, x, 1e-3)).count, 300);
}

TEST(LayerNormVariants, AWideInputGivesTheTypeOfGamma) {
  const at::Tensor x = small_rows();
  const Affine affine{at::ones({128}, at::kHalf), at::zeros({128}, at::kHalf)};
  for (const LnVariant variant : {LnVariant::honest, LnVariant::half_moments})
    EXPECT_EQ(layer_norm(variant, HalfMode::native, x.to(at::kFloat), affine, 1e-5).scalar_type(), at::kHalf);
}

// Cosines of head size d at positions 0 … 2047, read off what the rotation makes of (1, 0) pairs.
double cosine_error(std::int64_t size, at::ScalarType dtype, RotaryFrequency frequency) {
  const std::int64_t positions = 2048, half = size / 2;
  const at::Tensor ones = at::ones({positions, 1, half}, dtype), zeros = at::zeros({positions, 1, half}, dtype);
  const at::Tensor found = rotated(at::cat({ones, zeros}, 2), frequency).slice(2, 0, half).squeeze(1);
  const at::Tensor exponents = at::arange(0, size, 2, at::kDouble).div(static_cast<double>(size));
  const at::Tensor inverse = at::pow(at::Scalar(10000.0), exponents).reciprocal();
  const at::Tensor exact = at::arange(positions, at::kDouble).unsqueeze(1).mul(inverse).cos();
  return difference(found, exact).largest;
}

TEST(Rotary, ErrorOfCosines) {
  EXPECT_NEAR(cosine_error(32, at::kHalf, RotaryFrequency::model), 0.78, 0.02);
  EXPECT_NEAR(cosine_error(128, at::kHalf, RotaryFrequency::model), 0.88, 0.02);
  EXPECT_NEAR(cosine_error(32, at::kBFloat16, RotaryFrequency::model), 2.0, 0.1);
  EXPECT_LT(cosine_error(128, at::kHalf, RotaryFrequency::float32), 3.5e-4);
  EXPECT_LT(cosine_error(128, at::kBFloat16, RotaryFrequency::float32), 2.2e-3);
}

at::Tensor grid(at::ScalarType dtype) { return at::linspace(-6, 6, 200001, at::kDouble).to(dtype); }

TEST(Gelu, FormsAgainstMegatrons) {
  const at::Tensor x = grid(at::kFloat), megatron = tanh_gelu(x, megatron_gelu_constant);
  EXPECT_EQ(difference(activate(Activation::gelu_fast, x), megatron).count, 0);
  EXPECT_EQ(difference(tanh_gelu(x, openai_gelu_constant), megatron).count, 0);
  EXPECT_EQ(difference(fused_bias_gelu(x, {}), megatron).count, 0);
  EXPECT_NEAR(difference(activate(Activation::gelu_new, x), megatron).largest, 2.4e-7, 2e-7);
  EXPECT_NEAR(difference(activate(Activation::gelu, x), megatron).largest, 4.74e-4, 1e-6);
  EXPECT_NEAR(difference(activate(Activation::gelu, grid(at::kDouble)), erf_gelu(grid(at::kDouble))).largest, 7.4e-7,
              1e-7);
}

// One rounding against one for each op.
TEST(Gelu, FusedAgainstOpByOp) {
  for (const auto& [dtype, share, largest] :
       {std::tuple{at::kBFloat16, 0.41, 0.0156}, std::tuple{at::kHalf, 0.44, 0.00195}}) {
    const at::Tensor x = grid(dtype);
    const Difference found = difference(fused_bias_gelu(x, {}), tanh_gelu(x, megatron_gelu_constant));
    EXPECT_NEAR(static_cast<double>(found.count) / 200001, share, 0.03);
    EXPECT_NEAR(found.largest, largest, largest / 50);
  }
}

// 3.14 squared, as cards with TF32 give it.
TEST(LinearOperands, RoundToTenBits) {
  const at::Tensor x = at::full({1, 1}, 3.14, at::kFloat).set_requires_grad(true);
  const at::Tensor product = linear({.operands = LinearOperands::tf32}, x, x.detach(), {});
  EXPECT_FLOAT_EQ(product.item<float>(), 3.140625F * 3.140625F);
  product.sum().backward();
  EXPECT_FLOAT_EQ(x.grad().item<float>(), 3.140625F);
  const auto rounded = [](double value) {
    return operand(LinearOperands::tf32, at::full({}, value, at::kFloat)).item<double>();
  };
  const double step = 1.0 / 1024;
  EXPECT_EQ(rounded(1 + step / 2), 1);  // halfway goes to even
  EXPECT_EQ(rounded(1 + 3 * step / 2), 1 + 2 * step);
  EXPECT_EQ(rounded(-1 - 0.75 * step), -1 - step);
  EXPECT_EQ(rounded(0), 0);
  EXPECT_EQ(operand(LinearOperands::tf32, at::full({}, 3.14, at::kDouble)).item<double>(), 3.14);
}

TEST(ResidualSum, OneRoundingOrTwo) {
  const at::Generator generator = at::detail::createCPUGenerator(1);
  const auto drawn = [&] { return at::rand({64, 64}, generator).sub(0.5).to(at::kBFloat16); };
  const at::Tensor x = drawn(), bias = drawn(), residual = drawn();
  const at::Tensor exact = x.to(at::kFloat).add(bias.to(at::kFloat)).add(residual.to(at::kFloat)).to(at::kBFloat16);
  EXPECT_EQ(difference(add_to_residual({.one_rounding = true}, x, bias, residual), exact).count, 0);
  EXPECT_GT(difference(add_to_residual({}, x, bias, residual), exact).count, 200);
  EXPECT_EQ(add_to_residual({}, x, bias, residual.to(at::kFloat)).scalar_type(), at::kFloat);
}

}  // namespace
}  // namespace goldentrace
