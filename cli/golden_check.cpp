#include "cli/golden_check.h"

#include <array>
#include <filesystem>

#include "traces/error.h"
#include "traces/printable.h"
#include "traces/trace_reader.h"

namespace goldentrace {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::usage, what); }

// Two runs that differ here have no tensor in common: everything would be "different".
constexpr std::array sizes = {"model.shape",  "model.input_dim", "model.batch_size", "model.seq_len",
                              "model.n_embd", "model.n_head",    "model.n_inner",    "model.vocab_size"};

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code failure;
  return fs::equivalent(a, b, failure) || fs::weakly_canonical(a, failure) == fs::weakly_canonical(b, failure);
}

// Programs that name their model by their file are compared by what they record alone.
bool is_built_in(const Header& run) { return run.contains("model.dtype"); }

void compare(const std::string& fact, const Header& golden, const Header& run, const fs::path& path) {
  const auto there = golden.find(fact), here = run.find(fact);
  if (there == golden.end() || here == run.end() || there->second == here->second) return;
  throw Error(ErrorCode::usage,
              "is no golden for this run: its " + fact + " is " + printable(there->second) + ", here it is " +
                  printable(here->second),
              {path.string(), ""});
}

void check_model(const fs::path& path, const Header& run) {
  const TraceReader golden(path);
  if (!is_built_in(run)) return;
  compare("model.name", golden.header(), run, path);
  for (const char* size : sizes) compare(size, golden.header(), run, path);
}

}  // namespace

void check_golden(const CaptureOptions& capture, const Header& run) {
  const bool may_check = capture.capture == "check" || !capture.level_file.empty();
  if (capture.capture == "check" && capture.golden.empty()) refuse("--capture check needs --golden FILE");
  if (!capture.golden.empty() && !may_check) {
    refuse("--golden belongs to --capture check (or to a --level-file that may ask for it), not to --capture " +
           capture.capture);
  }
  if (capture.stop_after > 0 && capture.golden.empty()) {
    refuse("--stop-after counts differences from a golden: it needs --capture check --golden FILE");
  }
  if (capture.golden.empty()) return;
  if (same_file(capture.golden, capture.output)) {
    throw Error(ErrorCode::usage, "is both --golden and --output; write another trace", {capture.golden.string(), ""});
  }
  check_model(capture.golden, run);
}

}  // namespace goldentrace
