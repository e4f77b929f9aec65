// The recording does not change the run, leaves nothing behind, and fails without disturbing the program.
#include <ATen/CPUGeneratorImpl.h>
#include <malloc.h>
#include <sys/resource.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/function.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "tests/recorder/recording.h"

namespace goldentrace {
namespace {

using namespace testing_support;
using testing::ElementsAre;
using testing::HasSubstr;

// Dropout, a residual and a tied weight; momentum keeps state over steps.
struct Model {
  explicit Model(std::int64_t width) : w(wave_parameter({width, width}, 0.37)), b(wave_parameter({width}, 0.48)) {}

  at::Tensor forward(const at::Tensor& x) {
    at::Tensor h = layer("first", [&] { return at::linear(x, w, b); });
    h = layer("second", [&] {
      const at::Tensor a = layer("second.act", [&] { return at::dropout(at::gelu(h), 0.25, true); });
      return at::add(layer("second.out", [&] { return at::linear(a, w.t(), b); }), h);
    });
    return layer("norm", [&] { return at::layer_norm(h, {h.size(1)}); });
  }

  at::Tensor train_step(const at::Tensor& x) {
    const at::Tensor y = forward(x);
    const at::Tensor loss = at::mean(at::pow(at::sub(y, 0.5), 2));
    torch::autograd::backward({loss}, {});
    const at::NoGradGuard no_grad;
    for (at::Tensor* p : {&w, &b}) {
      p->variable_data().add_(p->grad(), -0.1);
      p->mutable_grad() = at::Tensor();
    }
    return loss.detach();
  }

  at::Tensor w, b;
};

struct Outcome {
  std::vector<float> losses;
  std::vector<float> weights;
  at::Tensor random_state;
  std::size_t nodes = 0;
};

std::size_t count_nodes(const std::shared_ptr<torch::autograd::Node>& node) {
  std::size_t count = 1;
  for (const auto& edge : node->next_edges()) {
    if (edge.function) count += count_nodes(edge.function);
  }
  return count;
}

Outcome train(std::int64_t width, int steps) {
  at::manual_seed(5);
  Model model(width);
  const at::Tensor x = wave({8, width}, 0.21);
  Outcome outcome;
  for (int step = 0; step < steps; ++step) outcome.losses.push_back(model.train_step(x).item<float>());
  outcome.weights.assign(model.w.data_ptr<float>(), model.w.data_ptr<float>() + model.w.numel());
  outcome.nodes = count_nodes(model.forward(x).grad_fn());
  outcome.random_state = at::detail::getDefaultCPUGenerator().get_state();
  return outcome;
}

class SessionTest : public RecorderTest {
 protected:
  void expect_unchanged(const RecorderOptions& options) {
    const Outcome bare = train(12, 4);
    Outcome recorded;
    record(options, [&](Recorder&) { recorded = train(12, 4); });
    EXPECT_EQ(recorded.losses, bare.losses);
    EXPECT_EQ(recorded.weights, bare.weights);
    EXPECT_EQ(recorded.nodes, bare.nodes);
    EXPECT_TRUE(at::equal(recorded.random_state, bare.random_state));
  }
};

// Case F13.
TEST_F(SessionTest, FullCaptureDoesNotChangeTheRun) { expect_unchanged(options()); }

TEST_F(SessionTest, SketchesDoNotChangeTheRun) {
  RecorderOptions wanted = options();
  wanted.capture = Capture::sketch;
  wanted.ops = true;
  expect_unchanged(wanted);
}

TEST_F(SessionTest, FiltersDoNotChangeTheRun) {
  RecorderOptions wanted = options();
  wanted.layers = {"second.*"};
  wanted.steps = {1};
  wanted.self_check = SelfCheck::every;
  expect_unchanged(wanted);
}

TEST_F(SessionTest, EveryLayerReplays) {
  RecorderOptions wanted = options();
  wanted.self_check = SelfCheck::every;
  const Recorded trace = record(wanted, [](Recorder&) { train(12, 2); });
  expect_replayable(trace);
  for (const LayerCall& call : trace.reader().calls()) {
    if (call.layer == root_layer) continue;
    EXPECT_EQ(call.replayable, Replayable::bit_equal) << call.layer;
  }
  trace.reader().verify();
}

TEST_F(SessionTest, FilteredRecordsEqualThoseOfTheWholeRecording) {
  const Recorded whole = record([](Recorder&) { train(12, 2); });
  RecorderOptions wanted = options();
  wanted.output = folder_ / "part.h5";
  wanted.layers = {"second.act"};
  const Recorded part = record(wanted, [](Recorder&) { train(12, 2); });
  ASSERT_FALSE(part.records().empty());
  for (const Record& record : part.records()) {
    EXPECT_EQ(whole.record(to_string(record.id)).fingerprint.hash, record.fingerprint.hash) << to_string(record.id);
  }
}

TEST_F(SessionTest, OneRecordingAtATime) {
  const Recorder first(options());
  RecorderOptions second = options();
  second.output = folder_ / "second.h5";
  EXPECT_THROW(Recorder{second}, Error);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "second.h5.partial"));
}

TEST_F(SessionTest, AnExceptionInTheProgramLeavesNothingBehind) {
  Model model(8);
  const at::Tensor x = wave({4, 8}, 0.2);
  at::Tensor unfinished;
  try {
    Recorder recorder(options());
    layer("outer", [&] {
      unfinished = layer("inner", [&] { return at::linear(x, model.w); });
      throw std::runtime_error("in the middle of a step");
    });
  } catch (const std::runtime_error&) {
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
  EXPECT_FALSE(at::hasGlobalCallbacks());
  EXPECT_TRUE(unfinished.grad_fn()->post_hooks().empty());
  torch::autograd::backward({at::sum(unfinished)}, {});
  EXPECT_TRUE(model.w.grad().defined());
}

TEST_F(SessionTest, AnOpThatThrowsIsNotOnTheTape) {
  const at::Tensor x = at::ones({2, 3});
  const Recorded trace = record([&] {
    layer("a", [&] {
      EXPECT_THROW(at::matmul(x, x), c10::Error);
      return at::neg(x);
    });
  });
  EXPECT_THAT(trace.ops("a"), ElementsAre("aten::neg"));
  EXPECT_EQ(trace.call("a").replayable, Replayable::bit_equal) << trace.call("a").note;
}

TEST_F(SessionTest, ABackwardThatThrowsDoesNotDisturbTheNext) {
  const at::Tensor w = wave_parameter({3}, 0.37), x = wave({3}, 0.2);
  const Recorded trace = record([&] {
    const at::Tensor y = layer("a", [&] { return at::mul(x, w); });
    const at::Tensor h = layer("b", [&] { return at::mul(y, 2); });
    y.register_hook([](const at::Tensor&) -> at::Tensor { throw std::runtime_error("hook"); });
    EXPECT_THROW(torch::autograd::backward({at::sum(h)}, {}), std::exception);
    torch::autograd::backward({at::sum(layer("a", [&] { return at::mul(x, w); }))}, {});
  });
  EXPECT_TRUE(trace.has("0:1:0/backward/a#0/param_grad.0"));
  EXPECT_TRUE(trace.has("0:1:0/forward/loss#0/loss.0"));
}

TEST_F(SessionTest, ManyRecordingsOneAfterAnother) {
  std::optional<Hash128> before;
  for (int i = 0; i < 20; ++i) {
    const Recorded trace = record([](Recorder&) { train(6, 1); });
    const Hash128 now = trace.record("0:0:0/forward/norm#0/output.0").fingerprint.hash;
    EXPECT_EQ(before.value_or(now), now);
    before = now;
    EXPECT_FALSE(at::hasGlobalCallbacks());
  }
}

// Threads that train models of their own at the same time, under one recording.
TEST_F(SessionTest, ThreadsRecordSideBySide) {
  const at::Tensor x = wave({4, 6}, 0.2);
  const Recorded trace = record([&](Recorder&) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&x] {
        Model model(6);
        for (int step = 0; step < 20; ++step) torch::autograd::backward({at::sum(model.forward(x))}, {});
      });
    }
    for (std::thread& thread : threads) thread.join();
  });
  std::size_t first_layers = 0;
  for (const LayerCall& call : trace.reader().calls()) first_layers += call.layer == "first" ? 1 : 0;
  EXPECT_EQ(first_layers, 60u);
  // Each entry has a gradient of its own.
  EXPECT_EQ(trace.ids(Role::grad_output).size(), 5 * first_layers);
  trace.reader().verify();
}

TEST_F(SessionTest, CommittedStepsAreKept) {
  const std::filesystem::path file = options().output;
  {
    Recorder recorder(options());
    Model model(6);
    const at::Tensor x = wave({2, 6}, 0.2);
    for (int step = 0; step < 3; ++step) {
      recorder.step(step);
      model.train_step(x);
    }
    recorder.close_committed();
  }
  const Recorded trace(file);
  EXPECT_TRUE(trace.has("1:-:0/update/loss#0/loss.0"));
  for (const Record& record : trace.records()) EXPECT_LT(record.id.step, 2);
}

TEST_F(SessionTest, AFailureStopsTheRecordingAndNotTheProgram) {
  RecorderOptions wanted = options();
  wanted.output = folder_ / "missing" / "run.h5";
  EXPECT_THROW(Recorder{wanted}, Error);
  Recorder recorder(options());
  recorder.loss(at::ones({2}));
  const at::Tensor y = layer("a", [] { return at::ones({2}); });
  EXPECT_EQ(y.numel(), 2);
  try {
    recorder.close();
    FAIL() << "close() hid the failure";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("one element"));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(SessionTest, ADiskThatIsFullStopsTheRecordingAndNotTheProgram) {
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, SIG_IGN);
  Recorder recorder(options());
  const rlimit small{200000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const at::Tensor x = at::rand({400, 400});
  at::Tensor y;
  for (int i = 0; i < 5; ++i) y = layer("a", [&] { return at::add(x, i); });
  EXPECT_TRUE(at::equal(y, at::add(x, 4)));
  EXPECT_THROW(recorder.close(), Error);
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

std::size_t resident_bytes() {
  malloc_trim(0);
  std::ifstream statm("/proc/self/statm");
  std::size_t total = 0, resident = 0;
  statm >> total >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// Case D13, smaller: resident memory at the last step within 5 % of an early one.
TEST_F(SessionTest, MemoryStaysFlat) {
  RecorderOptions wanted = options();
  wanted.capture = Capture::sketch;
  Recorder recorder(wanted);
  Model model(64);
  const at::Tensor x = wave({8, 64}, 0.2);
  std::size_t early = 0;
  std::vector<at::Tensor> losses;
  for (int step = 0; step < 300; ++step) {
    if (step == 50) early = resident_bytes();
    losses.push_back(model.train_step(x));
  }
  EXPECT_LT(static_cast<double>(resident_bytes()), 1.05 * static_cast<double>(early));
  recorder.close();
}

// Large tensors take the places of those that are gone: nothing that the recorder keeps lies there.
TEST_F(SessionTest, TheHeapDoesNotGrow) {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);  // everything on the heap
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  constexpr std::int64_t large = 1 << 20;
  RecorderOptions wanted = options();
  wanted.capture = Capture::sketch;
  wanted.layers = {"none"};
  Recorder recorder(wanted);
  std::size_t early = 0;
  for (int step = 0; step < 100; ++step) {
    at::Tensor x = at::ones({large});
    for (int op = 0; op < 4; ++op) x = at::add(x, at::sum(at::ones({100})));
    if (step == 20) early = mallinfo2().arena;
  }
  EXPECT_LT(mallinfo2().arena, early + 8 * large * sizeof(float));
  recorder.close();
}

}  // namespace
}  // namespace goldentrace
