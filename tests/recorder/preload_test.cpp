// `gtrace record -- PROGRAM`: programs that know nothing of goldentrace, recorded from outside.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <thread>

#include "recorder/observe.h"
#include "tests/support/temporary_folder.h"
#include "traces/error.h"
#include "traces/trace_reader.h"

namespace goldentrace {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
using testing_support::TemporaryFolder;

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

class Preload : public testing::Test {
 protected:
  Preload() { options_.output = folder_ / "run.h5"; }

  // Starts a command with the observer in its environment.
  pid_t start(const std::vector<std::string>& command) {
    const pid_t child = fork();
    if (child != 0) return child;
    for (const auto& [name, value] : observation_environment(options_, PRELOAD_LIBRARY, folder_ / "status")) {
      setenv(name.c_str(), value.c_str(), 1);
    }
    redirect(STDOUT_FILENO, "out");
    redirect(STDERR_FILENO, "err");
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  // The wait status.
  int run(const std::vector<std::string>& command) { return finish(start(command)); }
  static int finish(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return status;
  }

  void redirect(int descriptor, const char* name) {
    dup2(open((folder_ / name).c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600), descriptor);
  }

  std::string output() const { return text_of(folder_ / "out"); }
  std::int64_t lines() const {
    const std::string text = output();
    return std::count(text.begin(), text.end(), '\n');
  }
  std::string errors() const { return text_of(folder_ / "err"); }
  std::string status() const { return text_of(folder_ / "status"); }
  bool is_recorded() const { return std::filesystem::exists(options_.output); }

  std::vector<std::int64_t> recorded_steps() const {
    std::vector<std::int64_t> steps;
    const TraceReader reader(options_.output);
    for (const Record& record : reader.records()) {
      if (record.id.role == Role::loss && record.id.pass == Pass::update) steps.push_back(record.id.step);
    }
    return steps;
  }

  TemporaryFolder folder_;
  RecorderOptions options_;
};

TEST_F(Preload, AnUnchangedProgramIsRecorded) {
  const int bare = std::system((std::string(OBSERVED_PROGRAM) + " > " + (folder_ / "bare").string()).c_str());
  ASSERT_EQ(bare, 0);
  options_.header["run.command_line"] = "observed_program";
  EXPECT_EQ(run({OBSERVED_PROGRAM}), 0) << errors();
  EXPECT_THAT(errors(), IsEmpty());
  EXPECT_EQ(output(), text_of(folder_ / "bare"));
  EXPECT_EQ(status(), "sealed\n");
  EXPECT_THAT(recorded_steps(), testing::ElementsAre(0, 1, 2));
  const TraceReader reader(options_.output);
  EXPECT_EQ(reader.header().at("run.command_line"), "observed_program");
  for (const char* id : {"0:0:0/forward/linear#0/input.0", "0:0:0/forward/linear#0/param.0",
                         "1:0:0/backward/linear#0/param_grad.0", "2:-:0/update/linear#0/param.0"}) {
    EXPECT_TRUE(reader.find(parse_record_id(id))) << id;
  }
  EXPECT_EQ(reader.calls().front().replayable, Replayable::bit_equal) << reader.calls().front().note;
}

TEST_F(Preload, OptionsReachTheRecorder) {
  options_.capture = Capture::sketch;
  options_.steps = {1};
  EXPECT_EQ(run({OBSERVED_PROGRAM}), 0) << errors();
  EXPECT_THAT(recorded_steps(), testing::ElementsAre(1));
  EXPECT_FALSE(TraceReader(options_.output).has_payload(0));
}

TEST_F(Preload, AShellIsNotTouchedAndItsProgramIs) {
  EXPECT_EQ(run({"sh", "-c", "ls / >/dev/null && echo $0 && exec " OBSERVED_PROGRAM}), 0) << errors();
  EXPECT_THAT(errors(), IsEmpty());
  EXPECT_TRUE(is_recorded());
}

TEST_F(Preload, ProgramsWithoutLibTorchLeaveNothing) {
  EXPECT_EQ(run({"sh", "-c", "echo hello"}), 0);
  EXPECT_EQ(output(), "hello\n");
  EXPECT_THAT(errors(), IsEmpty());
  EXPECT_FALSE(is_recorded());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "status"));
}

TEST_F(Preload, OnlyTheFirstOfSeveralProgramsIsRecorded) {
  EXPECT_EQ(run({"sh", "-c", OBSERVED_PROGRAM " && " OBSERVED_PROGRAM}), 0);
  EXPECT_THAT(errors(), HasSubstr("not recorded: another program of this command"));
  EXPECT_EQ(lines(), 6);
  EXPECT_TRUE(is_recorded());
}

TEST_F(Preload, ChildrenOfTheProgramAreNotRecorded) {
  EXPECT_EQ(run({OBSERVED_PROGRAM, "fork"}), 0) << errors();
  EXPECT_THAT(recorded_steps(), testing::ElementsAre(0, 1, 2));
}

TEST_F(Preload, AFailingProgramKeepsItsFinishedSteps) {
  for (const char* ending : {"fail", "exit", "half", "forward"}) {
    std::filesystem::remove(folder_ / "status");
    EXPECT_EQ(WEXITSTATUS(run({OBSERVED_PROGRAM, ending})), 3);
    EXPECT_THAT(status(), StartsWith("committed: the program returned 3"));
    EXPECT_THAT(recorded_steps(), testing::ElementsAre(0, 1, 2)) << ending;
    EXPECT_EQ(TraceReader(options_.output).records().back().id.step, 2) << ending;
  }
}

TEST_F(Preload, AnUncaughtExceptionKeepsTheCommittedSteps) {
  EXPECT_EQ(WTERMSIG(run({OBSERVED_PROGRAM, "throw"})), SIGABRT);
  EXPECT_THAT(errors(), HasSubstr("not caught"));
  EXPECT_THAT(recorded_steps(), testing::ElementsAre(0, 1));
}

TEST_F(Preload, SignalsKeepTheCommittedSteps) {
  for (const int signal : {SIGINT, SIGTERM}) {
    std::filesystem::remove(folder_ / "status");
    const pid_t child = start({OBSERVED_PROGRAM, "wait"});
    while (lines() < 3) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    kill(child, signal);
    EXPECT_EQ(WTERMSIG(finish(child)), signal);
    EXPECT_THAT(status(), StartsWith("committed: SIG"));
    EXPECT_THAT(recorded_steps(), testing::ElementsAre(0, 1));
    std::filesystem::remove(folder_ / "out");
  }
}

TEST_F(Preload, ACrashLeavesAnIncompleteTrace) {
  EXPECT_EQ(run({OBSERVED_PROGRAM, "crash"}), 0);
  EXPECT_FALSE(is_recorded());
  try {
    const TraceReader reader(options_.output);
    FAIL() << "an incomplete trace was opened";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::incomplete);
  }
}

TEST_F(Preload, ARefusedOutputDoesNotStopTheProgram) {
  options_.output = folder_ / "missing" / "run.h5";
  EXPECT_EQ(run({OBSERVED_PROGRAM}), 0);
  EXPECT_THAT(errors(), IsEmpty());
  EXPECT_THAT(status(), testing::AllOf(StartsWith("failed: "), HasSubstr("missing")));
}

// LibTorch's own modules, recurrent and attention layers, autocast, caches, two optimizers: the same losses, and every
// call of every layer replays bit for bit.
class Zoo : public Preload, public testing::WithParamInterface<std::string> {};

INSTANTIATE_TEST_SUITE_P(Part, Zoo, testing::Values("images", "sequences", "autocast", "cache", "adversaries"));

TEST_P(Zoo, ReplaysBitForBit) {
  const std::string bare = MODULE_ZOO " " + GetParam() + " > " + (folder_ / "bare").string();
  ASSERT_EQ(std::system(bare.c_str()), 0);
  options_.self_check = SelfCheck::every;
  EXPECT_EQ(run({MODULE_ZOO, GetParam()}), 0) << errors();
  EXPECT_EQ(output(), text_of(folder_ / "bare"));
  std::size_t layers = 0;
  const TraceReader reader(options_.output);
  for (const LayerCall& call : reader.calls()) {
    if (call.layer == root_layer) continue;
    EXPECT_EQ(call.replayable, Replayable::bit_equal) << call.layer << '#' << call.call << ": " << call.note;
    ++layers;
  }
  EXPECT_GT(layers, 5u);
}

TEST(ObserverOptions, SurviveTheEnvironment) {
  RecorderOptions options;
  options.capture = Capture::sketch;
  options.ops = true;
  options.layers = {"h.*", "a,\"b"};
  options.steps = {0, 7};
  options.roles = {"output"};
  options.self_check = SelfCheck::every;
  options.sketch_size = 64;
  options.header = {{"run.command_line", "x --y 'z'"}};
  const RecorderOptions read = parse_recorder_options(to_json(options));
  EXPECT_EQ(to_json(read), to_json(options));
  EXPECT_EQ(read.layers, options.layers);
  EXPECT_THROW(parse_recorder_options("{"), Error);
  EXPECT_THROW(parse_recorder_options(R"({"capture": "half"})"), Error);
  EXPECT_THROW(parse_recorder_options(R"({"steps": "0"})"), Error);
}

}  // namespace
}  // namespace goldentrace
