// Cases that need a program of their own: recorded with labels, then compared.
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/tensor.h>
#include <ATen/record_function.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tests/cases/runs/runs.h"
#include "tests/support/temporary_folder.h"
#include "traces/trace_reader.h"

namespace goldentrace::cases {
namespace {

using testing::ElementsAre;

template <class Body>
auto layer(const char* label, const Body& body) {
  RECORD_USER_SCOPE(label);
  return body();
}

class SmallModels : public testing::Test {
 protected:
  std::filesystem::path record(const std::string& file, const std::function<void()>& program) const {
    RecorderOptions options;
    options.output = folder_ / file;
    Recorder recorder(options);
    recorder.step(0);
    program();
    recorder.close();
    return folder_ / file;
  }

  std::vector<float> values(const std::filesystem::path& file, const std::string& id) const {
    const TraceReader trace(file);
    const auto row = trace.find(parse_record_id(id));
    if (!row) return {};
    const std::vector<std::byte> bytes = trace.payload(*row);
    std::vector<float> list(bytes.size() / sizeof(float));
    std::memcpy(list.data(), bytes.data(), bytes.size());
    return list;
  }

  testing_support::TemporaryFolder folder_;
};

void linear_and_relu(bool in_place) {
  const at::Tensor x = at::tensor({1.F, -2.F, 3.F}).view({1, 3});
  at::Tensor y = layer("linear", [&] { return at::linear(x, at::eye(3)); });
  y = layer("relu", [&] { return in_place ? y.relu_() : at::relu(y); });
  layer("end", [&] { return y.add(1); });
}

TEST_F(SmallModels, AnInPlaceOpDoesNotRewriteACapturedTensor) {  // D01
  const auto out_of_place = record("a.h5", [] { linear_and_relu(false); });
  const auto in_place = record("b.h5", [] { linear_and_relu(true); });
  EXPECT_THAT(values(in_place, "0:0:0/forward/linear#0/output.0"), ElementsAre(1, -2, 3));
  EXPECT_THAT(values(in_place, "0:0:0/forward/relu#0/output.0"), ElementsAre(1, 0, 3));
  const Report report = compare(out_of_place, in_place);
  EXPECT_EQ(report.verdict, Verdict::same) << report.reason;
}

// Three calls of one layer; the second one multiplies by `second`.
void three_calls(double second) {
  at::Tensor x = at::ones({2});
  for (const double factor : {2.0, second, 2.0}) x = layer("double", [&] { return x.mul(factor); });
  layer("end", [&] { return x.add(1); });
}

TEST_F(SmallModels, TheCallThatDiffersIsNamed) {  // D03
  const auto golden = record("a.h5", [] { three_calls(2); });
  EXPECT_THAT(values(golden, "0:0:0/forward/double#0/output.0"), ElementsAre(2, 2));
  EXPECT_THAT(values(golden, "0:0:0/forward/double#1/output.0"), ElementsAre(4, 4));
  EXPECT_THAT(values(golden, "0:0:0/forward/double#2/output.0"), ElementsAre(8, 8));
  const Report report = compare(golden, record("b.h5", [] { three_calls(3); }));
  EXPECT_EQ(report.verdict, Verdict::diverged);
  ASSERT_EQ(first_divergence(report), "double output 0 introduced");
  EXPECT_EQ(report.roots.front().pair.id.call, 1);
}

// What a layer returns, as a view of a larger tensor or as a copy of it.
void returns_view(const std::function<at::Tensor(const at::Tensor&)>& view, bool copied) {
  const at::Tensor base = at::arange(12, at::kFloat).view({3, 4});
  const at::Tensor y = layer("view", [&] {
    const at::Tensor part = view(base.add(0));
    return copied ? part.contiguous() : part;
  });
  layer("end", [&] { return y.add(1); });
}

TEST_F(SmallModels, ViewsAreRecordedByTheirElements) {  // D10
  const std::vector<std::function<at::Tensor(const at::Tensor&)>> views = {
      [](const at::Tensor& base) { return base.slice(1, 1, 3); }, [](const at::Tensor& base) { return base.t(); },
      [](const at::Tensor& base) {
        return base.slice(0, 0, 1).expand({3, 4});
      }};
  for (const auto& view : views) {
    const auto copy = record("a.h5", [&] { returns_view(view, true); });
    const auto raw = record("b.h5", [&] { returns_view(view, false); });
    const Report report = compare(copy, raw, {.gate = {.kind = GateKind::bitwise}});
    EXPECT_EQ(report.verdict, Verdict::same) << report.reason;
    EXPECT_TRUE(report.notes.empty());
  }
  EXPECT_THAT(values(folder_ / "b.h5", "0:0:0/forward/view#0/output.0"),
              ElementsAre(0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3));
}

TEST_F(SmallModels, SpecialValuesKeepTheirBits) {  // D15
  std::vector<std::uint32_t> bits{0x7fc00001, 0x7f800001, 0xffc12345, 0x80000000, 0x00000001, 0x7f800000, 0xff800000};
  const at::Tensor special = at::from_blob(bits.data(), {7}, at::kFloat);
  const auto program = [&] {
    const at::Tensor y = layer("pass", [&] { return special.view({7, 1}).squeeze(1); });
    layer("end", [&] { return y.view({1, 7}); });
  };
  const auto a = record("a.h5", program), b = record("b.h5", program);
  const std::vector<float> stored = values(a, "0:0:0/forward/pass#0/input.0");
  ASSERT_EQ(stored.size(), bits.size());
  EXPECT_EQ(std::memcmp(stored.data(), bits.data(), sizeof(float) * bits.size()), 0);
  EXPECT_EQ(compare(a, b, {.gate = {.kind = GateKind::bitwise}}).verdict, Verdict::same);
}

// An op between two labels, and what it multiplies by.
void glued(double factor) {
  const at::Tensor x = at::tensor({1.F, -2.F, 3.F});
  at::Tensor y = layer("first", [&] { return x.add(1); });
  y = y.mul(factor);
  layer("second", [&] { return at::relu(y); });
}

TEST_F(SmallModels, AFaultBetweenTwoLabelsIsGlue) {
  const Report report = compare(record("a.h5", [] { glued(2); }), record("b.h5", [] { glued(2.5); }));
  EXPECT_EQ(report.verdict, Verdict::diverged);
  ASSERT_EQ(first_divergence(report), "second input 0 glue");
  EXPECT_EQ(report.roots.front().from, "first");
  EXPECT_EQ(report.roots.front().to, "second");
}

}  // namespace
}  // namespace goldentrace::cases
