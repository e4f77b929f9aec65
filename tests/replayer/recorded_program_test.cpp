// Programs with what usually breaks replays, recorded by the recorder and replayed from the file.
#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <ATen/record_function.h>
#include <c10/core/GradMode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "recorder/recorder.h"
#include "replayer/replay.h"
#include "replayer/text_report.h"
#include "tests/support/temporary_folder.h"

namespace goldentrace {
namespace {

using testing_support::TemporaryFolder;

at::Tensor leaf(at::IntArrayRef shape) { return at::randn(shape).mul_(0.2).set_requires_grad(true); }

// Records one step of `program` and wants every layer to be bit-equal; gives the report.
ReplayReport replay_of(const std::function<void()>& program) {
  const TemporaryFolder folder;
  RecorderOptions options;
  options.output = folder / "program.h5";
  Recorder recorder(options);
  recorder.step(0);
  recorder.micro(0);
  program();
  recorder.close();
  const TraceReader trace(options.output);
  ReplayReport report = replay(trace, {});
  EXPECT_EQ(report.verdict, ReplayVerdict::bit_equal) << text_report(report, Detail::verbose);
  return report;
}

std::int64_t gradients(const ReplayReport& report, const std::string& layer) {
  std::int64_t count = 0;
  for (const ReplayedCall& call : report.calls) {
    for (const ReplayedTensor& tensor : call.tensors) {
      count += call.layer == layer && tensor.id.pass == Pass::backward;
    }
  }
  return count;
}

TEST(RecordedProgram, OneLayerManyTimes) {
  const at::Tensor w = leaf({8, 8}), x = leaf({4, 8});
  const ReplayReport report = replay_of([&] {
    at::Tensor h = x;
    for (int i = 0; i < 3; ++i) {
      RECORD_USER_SCOPE("shared");
      h = at::dropout(at::matmul(h, w), 0.3, true);
    }
    h.sum().backward();
  });
  EXPECT_EQ(report.calls.size(), 3U);
  EXPECT_EQ(gradients(report, "shared"), 6);
}

TEST(RecordedProgram, WritesIntoWhatAnotherLayerMade) {
  const at::Tensor w = leaf({8, 8}), x = at::randn({4, 8});
  const ReplayReport report = replay_of([&] {
    at::Tensor h;
    {
      RECORD_USER_SCOPE("linear");
      h = at::matmul(x, w);
    }
    {
      RECORD_USER_SCOPE("scale");
      h.mul_(1.5);
    }
    {
      RECORD_USER_SCOPE("half");
      h.add_(1);
      h = h * 3;
    }
    h.sum().backward();
  });
  EXPECT_EQ(report.calls.size(), 3U);
  EXPECT_EQ(gradients(report, "linear"), 1);
  EXPECT_EQ(gradients(report, "scale"), 1);
  EXPECT_EQ(gradients(report, "half"), 1);
}

TEST(RecordedProgram, NestedLayersAndResiduals) {
  const at::Tensor w = leaf({8, 8}), v = leaf({8, 8}), x = leaf({4, 8});
  const ReplayReport report = replay_of([&] {
    at::Tensor h, early;
    {
      RECORD_USER_SCOPE("block");
      {
        RECORD_USER_SCOPE("block.up");
        early = at::matmul(x, w).tanh();
        h = early * early;  // an output that is used inside too
      }
      {
        RECORD_USER_SCOPE("block.down");
        h = at::dropout(at::matmul(h, v), 0.2, true) + early;
      }
      h = h + x;
    }
    {
      RECORD_USER_SCOPE("tied");
      h = at::matmul(h, w.t()) * early;
    }
    h.sum().backward();
  });
  EXPECT_EQ(report.calls.size(), 4U);
  EXPECT_EQ(gradients(report, "block"), 3);
  EXPECT_EQ(gradients(report, "tied"), 3);
}

TEST(RecordedProgram, ViewsThatCrossLayers) {
  const at::Tensor w = leaf({8, 24}), x = leaf({2, 5, 8});
  const ReplayReport report = replay_of([&] {
    std::vector<at::Tensor> parts;
    {
      RECORD_USER_SCOPE("split");
      for (const at::Tensor& part : at::matmul(x, w).split(8, 2)) {
        parts.push_back(part.view({2, 5, 2, 4}).transpose(1, 2));
      }
    }
    at::Tensor context;
    {
      RECORD_USER_SCOPE("attention");
      context = at::matmul(at::softmax(at::matmul(parts[0], parts[1].transpose(-1, -2)), -1), parts[2]);
    }
    {
      RECORD_USER_SCOPE("merge");
      context = context.transpose(1, 2).reshape({2, 5, 8}).index({at::tensor({1, 0, 1}, at::kLong)});
    }
    context.pow(2).mean().backward();
  });
  EXPECT_EQ(gradients(report, "attention"), 3);
}

TEST(RecordedProgram, PartsWithoutGradientAndUnusedOutputs) {
  const at::Tensor w = leaf({8}), x = leaf({4, 8});
  replay_of([&] {
    at::Tensor kept, unused, frozen;
    {
      RECORD_USER_SCOPE("several");
      kept = x * w;
      unused = x - w;
      const c10::AutoGradMode no_grad(false);
      frozen = x.abs().add_(1);
    }
    {
      RECORD_USER_SCOPE("mask");
      kept = kept.masked_fill(frozen.gt(1.1), 0.5);
      kept.variable_data().mul_(1.25);
    }
    kept.sum().backward();
  });
}

TEST(RecordedProgram, Autocast) {
  const at::Tensor w = leaf({16, 16}), x = at::randn({8, 16});
  const ReplayReport report = replay_of([&] {
    at::Tensor h;
    at::autocast::set_autocast_enabled(at::kCPU, true);
    at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
    {
      RECORD_USER_SCOPE("twice");
      h = at::matmul(at::matmul(x, w), w);
    }
    at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(at::kCPU, false);
    h.to(at::kFloat).sum().backward();
  });
  EXPECT_EQ(gradients(report, "twice"), 1);
}

}  // namespace
}  // namespace goldentrace
