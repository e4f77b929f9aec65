// Which files a run's name stands for: NAME.h5, or NAME.0000.h5, NAME.0001.h5 … Two runs of one name never stand beside
// each other, so that none is taken for the other.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "traces/header.h"

namespace goldentrace {

enum class RunForm { one_file, segments };

// Before a run of this name is written. A run in segments replaces nothing, and one file no segments: Error(usage)
// names the file that is in the way and says what to do. Segments' own first journal is not in the way.
void refuse_other_run(const std::filesystem::path& run, RunForm form);

// The trace itself, or its segments in order. Error(usage) when both are there, Error(not_found) for a missing segment
// in the middle, by its name; those of refuse_recording() for a run in segments that goes on, or was left.
std::vector<std::filesystem::path> files_of_run(const std::filesystem::path& run);

struct SegmentName {
  std::uint32_t number = 0;
  std::uint64_t run = 0;  // the number that all segments of the run have; 0: of a build that wrote none
};

// Before a recovered trace gets its name. `segment`: absent for one file. Error(usage) like refuse_other_run();
// segments of the same run are not in the way.
void refuse_other_run(const std::filesystem::path& target, const std::optional<SegmentName>& segment);

std::optional<SegmentName> segment_name(const Header& header);  // absent: the header of one file
std::string run_text(std::uint64_t run);                        // as in the header, 16 hexadecimal digits
// Error(damaged) when two segments that are to be one trace are not of one run.
void check_same_run(const std::filesystem::path& first, const Header& first_header, const std::filesystem::path& file,
                    const Header& header);

}  // namespace goldentrace
