#include "cli/expected_size.h"

#include <algorithm>
#include <cstdio>

#include "cli/number.h"
#include "cli/step_list.h"
#include "cli/terminal.h"

namespace goldentrace {
namespace {

bool wants_words(const OutputOptions& options) {
  return !options.quiet && (options.verbose || is_terminal(Stream::err));
}

// Steps of the run that the recording keeps.
std::int64_t recorded_steps(const CaptureOptions& capture, std::int64_t steps) {
  const std::vector<std::int64_t> wanted = parse_number_list(capture.record_steps, "--record-steps");
  if (wanted.empty()) return steps;
  return std::count_if(wanted.begin(), wanted.end(), [&](std::int64_t step) { return step < steps; });
}

std::uint64_t free_bytes(const std::filesystem::path& output) {
  std::error_code failure;
  const std::filesystem::path folder = output.has_parent_path() ? output.parent_path() : std::filesystem::path(".");
  const auto space = std::filesystem::space(folder, failure);
  return failure ? 0 : space.available;
}

}  // namespace

ExpectedSize::ExpectedSize(const RecordOptions& options, std::int64_t steps)
    : silent_(!wants_words(options.output)),
      steps_(recorded_steps(options.capture, steps)),
      output_(options.capture.output) {}

void ExpectedSize::step_written(std::int64_t, std::uint64_t bytes) noexcept try {
  if (silent_.exchange(true)) return;
  std::fprintf(stderr, "gtrace record: %s\n", expected_size_text(output_, bytes, steps_, free_bytes(output_)).c_str());
} catch (...) {
}

std::string expected_size_text(const std::filesystem::path& output, std::uint64_t step_bytes, std::int64_t steps,
                               std::uint64_t free_bytes) {
  std::string text = output.string() + ": the first step takes " + human_bytes(step_bytes);
  const auto all = static_cast<double>(step_bytes) * static_cast<double>(steps);
  if (steps > 1) {
    text += "; " + std::to_string(steps) + " steps take about " +
            human_bytes(static_cast<std::uint64_t>(std::min(all, 9e18)));
  }
  if (free_bytes > 0) text += ", " + human_bytes(free_bytes) + " are free";
  return text;
}

}  // namespace goldentrace
