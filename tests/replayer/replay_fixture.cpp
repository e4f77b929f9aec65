#include "tests/replayer/replay_fixture.h"

#include <ATen/ops/dropout.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/randn.h>

#include "traces/error.h"

namespace goldentrace {

SampleLayer::SampleLayer()
    : x(at::randn({8, 64}).requires_grad_().clone()),
      w(at::randn({64, 64}).mul_(0.1).requires_grad_()),
      b(at::randn({64}).requires_grad_()) {}

std::vector<at::Tensor> SampleLayer::operator()() const {
  const at::Tensor h = at::layer_norm(at::linear(x, w, b), {64}, {}, {}, eps);
  return {at::dropout(at::gelu(h, "tanh"), 0.25, true)};
}

std::filesystem::path Replay::write(const std::string& name, const std::function<void(TraceWriter&)>& fill) {
  TraceWriter writer(folder_ / name);
  fill(writer);
  writer.close();
  return folder_ / name;
}

std::filesystem::path Replay::write_layer(const std::string& name, const CallOptions& options) {
  return write(name, [&](TraceWriter& writer) { add_call(writer, "h.0.mlp", layer_, options); });
}

std::string Replay::failure(const TraceReader& trace, const ReplayOptions& options) {
  try {
    replay(trace, options);
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  return "no error";
}

ReplayOptions Replay::of(const std::string& layer) {
  ReplayOptions options;
  options.layer = layer;
  return options;
}

}  // namespace goldentrace
