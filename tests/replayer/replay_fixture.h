// What the tests of the replayer share: one small layer and traces of it.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>

#include "replayer/replay.h"
#include "tests/replayer/synthetic.h"
#include "tests/support/temporary_folder.h"
#include "traces/trace_reader.h"

namespace goldentrace {

// A linear layer with LayerNorm, GELU and dropout; its tensors are too large to be kept whole in a sketch.
struct SampleLayer {
  SampleLayer();
  std::vector<at::Tensor> operator()() const;

  at::Tensor x, w, b;
  double eps = 1e-5;
};

class Replay : public testing::Test {
 protected:
  // Paths of traces in a scratch folder.
  std::filesystem::path write(const std::string& name, const std::function<void(TraceWriter&)>& fill);
  std::filesystem::path write_layer(const std::string& name, const CallOptions& options = {});  // as "h.0.mlp"

  // The message of the error that a replay throws, "no error" without one.
  static std::string failure(const TraceReader& trace, const ReplayOptions& options);
  static ReplayOptions of(const std::string& layer);

  testing_support::TemporaryFolder folder_;
  SampleLayer layer_;
};

}  // namespace goldentrace
