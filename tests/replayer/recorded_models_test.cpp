// Every layer of the models, recorded here and replayed in a new process.
#include "tests/replayer/recorded_models.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <set>

#include "replayer/replay.h"
#include "replayer/text_report.h"
#include "tests/support/temporary_folder.h"

namespace goldentrace {
namespace {

using testing_support::TemporaryFolder;

constexpr const char* trace_variable = "GOLDENTRACE_TEST_TRACE";

// The child of replay_in_new_process.
TEST(Child, ReplaysEveryLayer) {
  const char* file = std::getenv(trace_variable);
  if (file == nullptr) GTEST_SKIP() << "run by the other tests";
  const TraceReader trace(file);
  const ReplayReport report = replay(trace, {});
  std::set<Role> roles;
  for (const ReplayedCall& call : report.calls) {
    for (const ReplayedTensor& tensor : call.tensors) roles.insert(tensor.id.role);
  }
  EXPECT_EQ(roles, (std::set{Role::output, Role::grad_input, Role::param_grad}));
  EXPECT_EQ(report.verdict, ReplayVerdict::bit_equal) << text_report(report);
  EXPECT_EQ(report.gate, "bitwise");
}

// 0 when every layer is bit-equal.
int replay_in_new_process(const std::filesystem::path& file) {
  const pid_t child = fork();
  if (child == 0) {
    setenv(trace_variable, file.c_str(), 1);
    execl("/proc/self/exe", "replay", "--gtest_filter=Child.*", "--gtest_brief=1", nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(RecordedModels, MlpIsBitEqual) {
  const TemporaryFolder folder;
  record_mlp(folder / "mlp.h5", small_mlp(MlpVariant::plain));
  EXPECT_EQ(replay_in_new_process(folder / "mlp.h5"), 0);
}

TEST(RecordedModels, AccumulatedMlpIsBitEqual) {
  const TemporaryFolder folder;
  record_mlp(folder / "mlp.h5", small_mlp(MlpVariant::ga_loop));
  EXPECT_EQ(replay_in_new_process(folder / "mlp.h5"), 0);
}

TEST(RecordedModels, GptWithDropoutIsBitEqual) {
  const TemporaryFolder folder;
  record_gpt(folder / "gpt.h5", small_gpt());
  EXPECT_EQ(replay_in_new_process(folder / "gpt.h5"), 0);
}

TEST(RecordedModels, GptInBfloat16IsBitEqual) {
  const TemporaryFolder folder;
  GptOptions options = small_gpt();
  options.dtype = at::kBFloat16;
  options.optimizer = OptimizerKind::adamw;
  record_gpt(folder / "gpt.h5", options);
  EXPECT_EQ(replay_in_new_process(folder / "gpt.h5"), 0);
}

TEST(RecordedModels, GptInFloat64IsNearFloat32) {
  const TemporaryFolder folder;
  GptOptions model = small_gpt();
  model.steps = 1;
  record_gpt(folder / "gpt.h5", model);
  ReplayOptions options;
  options.dtype = DType::float64;
  const TraceReader trace(folder / "gpt.h5");
  const ReplayReport report = replay(trace, options);
  for (const ReplayedCall& call : report.calls) EXPECT_NE(call.verdict, ReplayVerdict::unsupported) << call.reason;
  options.layer = "h.1.mlp";
  EXPECT_EQ(replay(trace, options).verdict, ReplayVerdict::within);
}

TEST(RecordedModels, SketchGoldensTapeRunsOnFullInputs) {
  const TemporaryFolder folder;
  record_gpt(folder / "golden.h5", small_gpt(), Capture::sketch);
  record_gpt(folder / "run.h5", small_gpt());
  const TraceReader golden(folder / "golden.h5");
  const TraceReader run(folder / "run.h5");
  ReplayOptions options;
  options.tape_from = &golden;
  const ReplayReport report = replay(run, options);
  EXPECT_EQ(report.verdict, ReplayVerdict::bit_equal) << text_report(report);
  for (const ReplayedCall& call : report.calls) EXPECT_EQ(call.reproduced, true) << describe(call);
}

}  // namespace
}  // namespace goldentrace
