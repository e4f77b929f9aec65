// Recording a program that knows nothing of goldentrace: `gtrace record -o F -- PROGRAM`.
//
// The command starts PROGRAM with observation_environment() added to its environment. LD_PRELOAD brings in
// libgoldentrace_preload.so, which links no LibTorch and does nothing in a process that has not loaded libtorch_cpu.so
// at its start: shells and other tools are not touched. Where LibTorch is there, it opens libgoldentrace_observer.so
// beside it, and a Recorder runs from before main() to exit:
//
//   main() returns 0         close(): the trace is sealed under its name
//   it returns another code  commit_complete_step(), close_committed()
//   exit(code)               the same, but layers that were not checked by then stay unchecked
//   it entered no layer      close_committed(), which then writes nothing
//   an uncaught exception    close_committed(), then the program ends as it would have
//   SIGINT, SIGTERM          close_committed(), then the default action; not when the program handles them itself
//   _exit, crash, SIGKILL    an unlocked NAME.partial stays, which readers call incomplete
//
// The variables are taken out of the environment of the recorded process, so its own children are not recorded; a
// process that it forks stops recording. Of several LibTorch programs under one command (a shell script) the first is
// recorded, the others say on stderr that they are not.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "recorder/recorder.h"

namespace goldentrace {

namespace environment {
inline constexpr const char* output = "GOLDENTRACE_OUTPUT";    // the trace, an absolute path
inline constexpr const char* options = "GOLDENTRACE_OPTIONS";  // RecorderOptions as JSON, to_json()
// A file that does not exist yet. The recorded process makes it when recording starts ("recording") and writes how it
// ended: "sealed", "committed: <why>", "failed: <why>"; "nothing: <why>" where no trace was written and an older one
// stays. No file: no LibTorch was seen. Optional.
inline constexpr const char* status = "GOLDENTRACE_STATUS";
}  // namespace environment

// All but the output path. Error(usage) from parse names what is wrong.
std::string to_json(const RecorderOptions& options);
RecorderOptions parse_recorder_options(const std::string& json);

// libgoldentrace_preload.so in the build's or the installation's library folder, seen from the folder of the running
// command; Error(not_found) when it is not there.
std::filesystem::path find_preload_library(const std::filesystem::path& command_folder);

// Variables to set for the program, an LD_PRELOAD of the caller's kept behind ours. `status` may be empty.
std::map<std::string, std::string> observation_environment(const RecorderOptions& options,
                                                           const std::filesystem::path& preload_library,
                                                           const std::filesystem::path& status);

}  // namespace goldentrace
