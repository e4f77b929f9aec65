// What is kept: levels, checks against a golden, a pool that is full, and how the trace says so.
#include <torch/csrc/autograd/autograd.h>

#include <fstream>

#include "tests/recorder/recording.h"

namespace goldentrace {
namespace {

using namespace testing_support;
using testing::ElementsAre;

// Steps of a two-layer program with plain SGD.
class Program {
 public:
  explicit Program(std::int64_t width)
      : w_(wave_parameter({width, width}, 0.37)), v_(wave_parameter({width, width}, 0.11)), x_(wave({4, width}, 0.2)) {}

  at::Tensor& weight() { return w_; }
  std::function<void()> before_update = [] {};

  void step() {
    const at::Tensor h = layer("first", [&] { return at::matmul(x_, w_); });
    const at::Tensor y = layer("second", [&] { return at::matmul(at::tanh(h), v_); });
    torch::autograd::backward({at::mean(y)}, {});
    before_update();
    const at::NoGradGuard no_grad;
    for (at::Tensor* p : {&w_, &v_}) {
      p->add_(p->grad(), -0.1);
      p->mutable_grad() = at::Tensor();
    }
  }
  void steps(Recorder& recorder, int count) {
    for (int i = 0; i < count; ++i) {
      recorder.step(i);
      step();
    }
  }

 private:
  at::Tensor w_, v_, x_;
};

class CaptureTest : public RecorderTest {
 protected:
  Recorded golden() {
    RecorderOptions wanted = options();
    wanted.output = folder_ / "golden.h5";
    return record(wanted, [](Recorder& recorder) { Program(12).steps(recorder, 4); });
  }
  RecorderOptions checking() const {
    RecorderOptions wanted = options();
    wanted.capture = Capture::check;
    wanted.golden = folder_ / "golden.h5";
    return wanted;
  }
  static std::vector<std::int64_t> steps_of(const Recorded& trace) {
    std::vector<std::int64_t> steps;
    for (const Record& record : trace.records()) {
      if (steps.empty() || steps.back() != record.id.step) steps.push_back(record.id.step);
    }
    return steps;
  }
  static std::size_t payloads(const Recorded& trace) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < trace.records().size(); ++i) {
      count += trace.reader().has_payload(static_cast<std::int64_t>(i)) ? 1 : 0;
    }
    return count;
  }
  static void expect_equal(const Recorded& a, const Recorded& b) {
    ASSERT_EQ(a.ids(), b.ids());
    for (std::size_t i = 0; i < a.records().size(); ++i) {
      const auto row = static_cast<std::int64_t>(i);
      EXPECT_EQ(a.records()[i].producers, b.records()[i].producers);
      EXPECT_EQ(a.records()[i].fingerprint.hash, b.records()[i].fingerprint.hash) << a.ids()[i];
      EXPECT_EQ(a.records()[i].fingerprint.statistics, b.records()[i].fingerprint.statistics) << a.ids()[i];
      EXPECT_EQ(a.reader().payload(row), b.reader().payload(row)) << a.ids()[i];
    }
  }
};

TEST_F(CaptureTest, AnEqualRunHasNoPayloadInCheck) {
  const Recorded expected = golden();
  const Recorded trace = record(checking(), [](Recorder& recorder) {
    Program(12).steps(recorder, 4);
    EXPECT_EQ(recorder.differences(), 0);
  });
  ASSERT_EQ(trace.ids(), expected.ids());
  EXPECT_EQ(payloads(trace), 0u);
  for (std::size_t i = 0; i < trace.records().size(); ++i) {
    const auto row = static_cast<std::int64_t>(i);
    EXPECT_EQ(trace.records()[i].fingerprint.statistics, expected.records()[i].fingerprint.statistics);
    EXPECT_EQ(trace.reader().sketch(row), expected.reader().sketch(row));
  }
  const Header& header = trace.reader().header();
  EXPECT_EQ(header.at("capture.level"), "check");
  EXPECT_EQ(header.at("capture.golden"), "golden.h5");
  EXPECT_EQ(header.at("capture.golden_hash").size(), 32u);
  EXPECT_EQ(header.at("capture.differences"), "0");
}

TEST_F(CaptureTest, DifferencesKeepTheirPayload) {
  const Recorded expected = golden();
  const Recorded trace = record(checking(), [](Recorder& recorder) {
    Program program(12);
    program.steps(recorder, 2);
    recorder.step(2);
    program.weight().data_ptr<float>()[5] += 1;
    program.step();
  });
  std::int64_t differences = 0;
  for (std::size_t i = 0; i < trace.records().size(); ++i) {
    const Record& record = trace.records()[i];
    const bool equal = record.fingerprint.hash == expected.record(to_string(record.id)).fingerprint.hash;
    EXPECT_EQ(trace.reader().has_payload(static_cast<std::int64_t>(i)), !equal) << to_string(record.id);
    EXPECT_TRUE(equal || record.id.step == 2) << to_string(record.id);
    differences += equal ? 0 : 1;
  }
  EXPECT_GT(differences, 3);
  EXPECT_EQ(trace.reader().header().at("capture.differences"), std::to_string(differences));
}

TEST_F(CaptureTest, RecordsThatTheGoldenLacksAreDifferences) {
  golden();
  const Recorded trace = record(checking(), [](Recorder& recorder) { Program(12).steps(recorder, 5); });
  for (std::size_t i = 0; i < trace.records().size(); ++i) {
    EXPECT_EQ(trace.reader().has_payload(static_cast<std::int64_t>(i)), trace.records()[i].id.step == 4);
  }
}

TEST_F(CaptureTest, EndsAfterEnoughDifferences) {
  golden();
  RecorderOptions wanted = checking();
  wanted.stop_after = 2;
  std::vector<std::int64_t> told;
  wanted.stopped = [&](std::int64_t differences) { told.push_back(differences); };
  const Recorded trace = record(wanted, [](Recorder& recorder) {
    Program program(12);
    program.weight().data_ptr<float>()[5] += 1;
    program.steps(recorder, 4);
  });
  EXPECT_THAT(steps_of(trace), ElementsAre(0));
  ASSERT_EQ(told.size(), 1u);
  EXPECT_GE(told[0], 2);
  EXPECT_EQ(trace.reader().header().at("run.ended"), "stopped after " + std::to_string(told[0]) + " differences");
  EXPECT_TRUE(trace.has("0:-:0/update/first#0/param.0")) << "the step is whole";
}

TEST_F(CaptureTest, AGoldenIsNeededAndIsNoCandidate) {
  RecorderOptions wanted = options();
  wanted.capture = Capture::check;
  EXPECT_THROW(Recorder{wanted}, Error);
  golden();
  wanted = checking();
  wanted.output = wanted.golden;
  EXPECT_THROW(Recorder{wanted}, Error);
  Recorder recorder(options());
  EXPECT_THROW(recorder.set_capture(Capture::check), Error);
}

TEST_F(CaptureTest, TheLevelChangesWithASteps) {
  const Recorded trace = record([](Recorder& recorder) {
    Program program(12);
    program.steps(recorder, 1);
    recorder.set_capture(Capture::sketch);
    recorder.step(1);
    program.step();
    recorder.set_capture(Capture::off);
    recorder.step(2);
    program.step();
    recorder.set_capture(Capture::full);
    recorder.step(3);
    program.step();
  });
  EXPECT_THAT(steps_of(trace), ElementsAre(0, 1, 3));
  for (std::size_t i = 0; i < trace.records().size(); ++i) {
    EXPECT_EQ(trace.reader().has_payload(static_cast<std::int64_t>(i)), trace.records()[i].id.step != 1);
  }
  EXPECT_EQ(trace.reader().header().at("capture.level_changes"), "1:sketch,2:off,3:full");
}

TEST_F(CaptureTest, AFileChangesTheLevel) {
  RecorderOptions wanted = options();
  wanted.level_file = folder_ / "level";
  const Recorded trace = record(wanted, [&](Recorder& recorder) {
    Program program(12);
    program.steps(recorder, 1);
    std::ofstream(wanted.level_file) << "off\n";
    recorder.step(1);
    program.step();
    std::ofstream(wanted.level_file) << "check\n";
    recorder.step(2);
    program.step();
  });
  EXPECT_THAT(steps_of(trace), ElementsAre(0));
  EXPECT_EQ(trace.reader().header().at("recording.note.level file"), "the word 'check' changed nothing");
}

TEST_F(CaptureTest, TheHeaderSaysHowItEnded) {
  const Recorded whole = record([](Recorder& recorder) { Program(6).steps(recorder, 1); });
  EXPECT_EQ(whole.reader().header().at("run.ended"), "complete");
  RecorderOptions wanted = options();
  wanted.output = folder_ / "stopped.h5";
  {
    Recorder recorder(wanted);
    Program(6).steps(recorder, 3);
    recorder.close_committed("SIGINT");
  }
  const Recorded stopped(wanted.output);
  EXPECT_EQ(stopped.reader().header().at("run.ended"), "SIGINT");
  EXPECT_THAT(steps_of(stopped), ElementsAre(0, 1));
}

TEST_F(CaptureTest, ThreadsAndMemoryChangeNothing) {
  const auto with = [&](int workers, std::size_t pool) {
    RecorderOptions wanted = options();
    wanted.output = folder_ / ("run" + std::to_string(workers) + ".h5");
    wanted.workers = workers;
    wanted.pool_bytes = pool;
    return record(wanted, [](Recorder& recorder) { Program(900).steps(recorder, 3); });
  };
  const Recorded one = with(1, std::size_t{512} << 20);
  expect_equal(one, with(3, std::size_t{512} << 20));
  const Recorded in_place = with(2, 1);  // no weight fits
  expect_equal(one, in_place);
  EXPECT_NE(in_place.reader().header().at("capture.waits"), "0");
}

// Many tensors of 1.4 MB at once, in a pool of 2 MB.
void flood() {
  const at::Tensor x = at::rand({600, 600});
  std::vector<at::Tensor> kept;
  layer("a", [&] {
    for (int i = 0; i < 40; ++i) kept.push_back(at::add(x, i));
  });
}

TEST_F(CaptureTest, AFullPoolDropsPayloadsIfAsked) {
  RecorderOptions wanted = options();
  wanted.pool_bytes = 1;
  wanted.workers = 1;
  wanted.when_full = WhenFull::sketch;
  const Recorded trace = record(wanted, [](Recorder&) { flood(); });
  std::int64_t dropped = 0;
  for (std::size_t i = 0; i < trace.records().size(); ++i) {
    const Record& record = trace.records()[i];
    EXPECT_NE(trace.reader().has_payload(static_cast<std::int64_t>(i)), record.dropped);
    EXPECT_GT(record.fingerprint.statistics.l2, 0);
    dropped += record.dropped ? 1 : 0;
  }
  EXPECT_GT(dropped, 0);
  EXPECT_EQ(trace.reader().header().at("capture.when_full"), "sketch");
  EXPECT_EQ(trace.reader().header().at("capture.dropped_payloads"), std::to_string(dropped));
}

TEST_F(CaptureTest, AFullPoolHoldsTheModelUp) {
  RecorderOptions wanted = options();
  wanted.pool_bytes = 1;
  wanted.workers = 1;
  const Recorded trace = record(wanted, [](Recorder&) { flood(); });
  EXPECT_EQ(payloads(trace), trace.records().size());
  EXPECT_EQ(trace.reader().header().at("capture.dropped_payloads"), "0");
  EXPECT_NE(trace.reader().header().at("capture.waits"), "0");
  trace.reader().verify();
}

// Nothing but the bytes themselves is believed.
TEST_F(CaptureTest, WritesThatNobodySawAreRecorded) {
  const Recorded trace = record([](Recorder& recorder) {
    Program program(12);
    program.before_update = [&] { program.weight().mutable_grad().data_ptr<float>()[0] = 7; };
    recorder.step(0);
    program.step();
    program.before_update = [] {};
    recorder.step(1);
    program.weight().data_ptr<float>()[0] = 9;
    program.step();
  });
  EXPECT_NE(trace.values("0:0:0/backward/first#0/param_grad.0")[0], 7);
  EXPECT_EQ(trace.values("0:-:0/update/first#0/param_grad.0")[0], 7);
  EXPECT_NE(trace.values("0:-:0/update/first#0/param.0")[0], 9);
  EXPECT_EQ(trace.values("1:0:0/forward/first#0/param.0")[0], 9);
  trace.reader().verify();
}

}  // namespace
}  // namespace goldentrace
