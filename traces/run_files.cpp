#include "traces/run_files.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "traces/error.h"
#include "traces/journal_format.h"
#include "traces/journal_reader.h"
#include "traces/journal_writer.h"
#include "traces/recording_state.h"
#include "traces/segment.h"
#include "traces/trace_segment.h"

namespace goldentrace {
namespace {

namespace fs = std::filesystem;

bool is_taken(const fs::path& file) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(file, ignored));
}

// By its header; a file that cannot be read may be one.
bool is_segment(const fs::path& file) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return false;
  try {
    return segment_name(TraceSegment(file, TraceFile::Naming::any).header()).has_value();
  } catch (const Error&) {
    return true;
  }
}

std::optional<fs::path> first_segment(const fs::path& run) {
  for (std::uint32_t number : segments_of(run)) {
    if (is_segment(segment_path(run, number))) return segment_path(run, number);
  }
  return std::nullopt;
}

[[noreturn]] void refuse(const fs::path& in_the_way, const std::string& what) {
  throw Error(ErrorCode::usage, what, {.file = in_the_way.string()});
}

[[noreturn]] void refuse_journal(const fs::path& journal) {
  refuse(journal, "is the journal of another run of this name; recover it with: " + recover_command(journal) +
                      ", remove it, or write under another name");
}

void refuse_segments(const fs::path& run) {
  if (const auto segment = first_segment(run)) {
    refuse(*segment,
           "is a segment of an earlier run of this name, which one file would not replace; remove all its "
           "segments first, or write under another name");
  }
  for (std::uint32_t number : segments_of(run, format::journal_suffix))
    refuse_journal(journal_of(segment_path(run, number)));
}

void refuse_one_file(const fs::path& run) {
  for (const fs::path& file : {run, journal_of(run)}) {
    if (!is_taken(file)) continue;
    refuse(file,
           "is of an earlier run of this name, which segments would not replace; remove it first, or write under "
           "another name");
  }
}

// The run that a file with this name is a segment of.
std::optional<fs::path> run_of(const fs::path& file, std::uint32_t number) {
  const std::string name = file.filename().string();
  const std::string digits = segment_path("", number).string();  // ".0003"
  const std::size_t at = name.rfind(digits);
  if (at == std::string::npos) return std::nullopt;
  const fs::path run = file.parent_path() / (name.substr(0, at) + name.substr(at + digits.size()));
  return segment_path(run, number) == file ? std::optional(run) : std::nullopt;
}

void refuse_other_segments(const fs::path& run, const fs::path& target, const SegmentName& segment) {
  for (std::uint32_t number : segments_of(run)) {
    const fs::path file = segment_path(run, number);
    const std::optional<SegmentName> other = segment_name(TraceSegment(file).header());
    if (other && other->run == segment.run) continue;
    refuse(file, "belongs to another run than " + target.filename().string() +
                     " would; recover elsewhere with -o, or remove the segments of the other run");
  }
}

// A segment of a run that goes on, or was left, is not all there is.
void refuse_unfinished(const fs::path& run, const std::vector<std::uint32_t>& journals) {
  if (is_taken(journal_of(run))) refuse_recording({recording_of(journal_of(run)), journal_of(run)});
  for (std::uint32_t number : journals) {
    const fs::path journal = journal_of(segment_path(run, number));
    refuse_recording({recording_of(journal), journal});
  }
}

}  // namespace

void refuse_other_run(const fs::path& run, RunForm form) {
  if (form == RunForm::one_file) return refuse_segments(run);
  refuse_one_file(run);
  const std::vector<std::uint32_t> numbers = segments_of(run);
  if (!numbers.empty()) {
    refuse(segment_path(run, numbers.front()), "is of an earlier run of this name in " +
                                                   std::to_string(numbers.size()) +
                                                   (numbers.size() == 1 ? " segment" : " segments") +
                                                   ", which is not replaced; remove all of them first, or write under "
                                                   "another name");
  }
  for (std::uint32_t number : segments_of(run, format::journal_suffix)) {
    if (number > 0) refuse_journal(journal_of(segment_path(run, number)));
  }
}

void refuse_other_run(const fs::path& target, const std::optional<SegmentName>& segment) {
  const std::optional<fs::path> run = segment ? run_of(target, segment->number) : std::nullopt;
  if (!run) return refuse_segments(target);
  refuse_one_file(*run);
  refuse_other_segments(*run, target, *segment);
}

std::vector<fs::path> files_of_run(const fs::path& run) {
  std::error_code ignored;
  if (fs::exists(run, ignored)) {
    if (const auto segment = first_segment(run)) {
      refuse(run, "is there beside " + segment->filename().string() +
                      ", a segment of another run of the same name; remove or rename the run that is not meant");
    }
    return {run};
  }
  const std::vector<std::uint32_t> numbers = segments_of(run);
  const std::vector<std::uint32_t> journals = segments_of(run, format::journal_suffix);
  if (numbers.empty() && journals.empty()) return {run};
  std::vector<fs::path> files;
  for (std::uint32_t number : numbers) {
    const fs::path next = segment_path(run, static_cast<std::uint32_t>(files.size()));
    if (number != files.size()) {
      throw Error(ErrorCode::not_found, "this segment of the run is missing", {.file = next.string()});
    }
    files.push_back(next);
  }
  refuse_unfinished(run, journals);
  return files;
}

std::optional<SegmentName> segment_name(const Header& header) {
  const auto number = header.find("segment.number");
  if (number == header.end()) return std::nullopt;
  SegmentName name;
  const auto parse = [](const std::string& text, auto& value, int base) {
    std::from_chars(text.data(), text.data() + text.size(), value, base);
  };
  parse(number->second, name.number, 10);
  if (const auto run = header.find("segment.run"); run != header.end()) parse(run->second, name.run, 16);
  return name;
}

std::string run_text(std::uint64_t run) {
  std::string digits(16, '0');
  std::array<char, 16> text{};
  const auto end = std::to_chars(text.begin(), text.end(), run, 16).ptr;
  std::copy(text.begin(), end, digits.end() - (end - text.begin()));
  return digits;
}

void check_same_run(const fs::path& first, const Header& first_header, const fs::path& file, const Header& header) {
  const auto run = [](const Header& each) { return segment_name(each).value_or(SegmentName{}).run; };
  if (run(first_header) == run(header)) return;
  throw Error(ErrorCode::damaged,
              "belongs to another run than " + first.filename().string() + "; remove the segments of one of them",
              {.file = file.string()});
}

}  // namespace goldentrace
