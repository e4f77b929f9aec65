#include "recorder/observe.h"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "traces/error.h"
#include "traces/file_status.h"

namespace goldentrace {
namespace {

using nlohmann::json;

const std::map<SelfCheck, std::string> self_checks = {
    {SelfCheck::first, "first"}, {SelfCheck::every, "every"}, {SelfCheck::none, "none"}};

SelfCheck parse_self_check(const std::string& text) {
  for (const auto& [value, word] : self_checks) {
    if (word == text) return value;
  }
  throw Error(ErrorCode::usage, "self_check '" + text + "' is none of first, every, none");
}

RecorderOptions options_of(const json& given) {
  RecorderOptions options;
  options.capture = parse_capture(given.value("capture", "full"));
  options.golden = given.value("golden", "");
  options.stop_after = given.value("stop_after", options.stop_after);
  options.level_file = given.value("level_file", "");
  options.when_full = parse_when_full(given.value("when_full", "block"));
  options.pool_bytes = given.value("pool_bytes", options.pool_bytes);
  options.workers = given.value("workers", options.workers);
  options.segment_bytes = given.value("segment_bytes", options.segment_bytes);
  options.ops = given.value("ops", false);
  options.layers = given.value("layers", options.layers);
  options.steps = given.value("steps", options.steps);
  options.roles = given.value("roles", options.roles);
  options.self_check = parse_self_check(given.value("self_check", "first"));
  options.sketch_size = given.value("sketch_size", options.sketch_size);
  options.codec = parse_codec(given.value("codec", std::string(name(options.codec))));
  options.header = given.value("header", options.header);
  return options;
}

}  // namespace

std::string to_json(const RecorderOptions& options) {
  const json text = {{"capture", name(options.capture)},
                     {"golden", options.golden.string()},
                     {"stop_after", options.stop_after},
                     {"level_file", options.level_file.string()},
                     {"when_full", name(options.when_full)},
                     {"pool_bytes", options.pool_bytes},
                     {"workers", options.workers},
                     {"segment_bytes", options.segment_bytes},
                     {"ops", options.ops},
                     {"layers", options.layers},
                     {"steps", options.steps},
                     {"roles", options.roles},
                     {"self_check", self_checks.at(options.self_check)},
                     {"sketch_size", options.sketch_size},
                     {"codec", std::string(name(options.codec))},
                     {"header", options.header}};
  return text.dump(-1, ' ', false, json::error_handler_t::replace);
}

RecorderOptions parse_recorder_options(const std::string& text) {
  try {
    return options_of(json::parse(text));
  } catch (const json::exception& failure) {
    throw Error(ErrorCode::usage, std::string(environment::options) + ": " + failure.what());
  }
}

std::filesystem::path find_preload_library(const std::filesystem::path& command_folder) {
  for (const char* folder : {"../lib", "../" GOLDENTRACE_LIBRARY_FOLDER, "../lib64"}) {
    const auto candidate = command_folder / folder / "libgoldentrace_preload.so";
    if (is_there(candidate)) return absolute_path(candidate);
  }
  throw Error(ErrorCode::not_found, "libgoldentrace_preload.so is not installed beside the command",
              {command_folder.string(), ""});
}

std::map<std::string, std::string> observation_environment(const RecorderOptions& options,
                                                           const std::filesystem::path& preload_library,
                                                           const std::filesystem::path& status) {
  std::map<std::string, std::string> variables;
  const char* before = std::getenv("LD_PRELOAD");
  variables["LD_PRELOAD"] =
      preload_library.string() + (before == nullptr || *before == '\0' ? "" : std::string(":") + before);
  variables[environment::output] = absolute_path(options.output).string();
  variables[environment::options] = to_json(options);
  if (!status.empty()) variables[environment::status] = absolute_path(status).string();
  return variables;
}

}  // namespace goldentrace
