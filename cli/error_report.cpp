#include "cli/error_report.h"

#include <cctype>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string_view>

#include "cli/terminal.h"
#include "traces/printable.h"

namespace goldentrace {
namespace {

std::string_view code_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage:
      return "usage";
    case ErrorCode::not_found:
      return "not_found";
    case ErrorCode::not_a_trace:
      return "not_a_trace";
    case ErrorCode::damaged:
      return "damaged";
    case ErrorCode::version:
      return "version";
    case ErrorCode::incomplete:
      return "incomplete";
    case ErrorCode::still_being_written:
      return "still_being_written";
    case ErrorCode::input_output:
      return "input_output";
    case ErrorCode::incomparable:
      return "incomparable";
    case ErrorCode::unsupported:
      return "unsupported";
    case ErrorCode::internal:
      return "internal";
  }
  return "internal";
}

std::string one_line(std::string text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
  return printable(text);
}

nlohmann::ordered_json document(const Error& error) {
  nlohmann::ordered_json json;
  json["schema"] = "goldentrace.error/1";
  json["error"] = code_name(error.code());
  json["message"] = one_line(error.what());
  if (!error.place().file.empty()) json["file"] = error.place().file;
  if (!error.place().record.empty()) json["record"] = error.place().record;
  json["exit_code"] = 2;
  return json;
}

}  // namespace

void ErrorReport::print(const Error& error) const noexcept try {
  const bool colour = wants_colour(Stream::err);
  std::cerr << (colour ? "\033[1;31m" : "") << program << ":" << (colour ? "\033[0m" : "") << " "
            << one_line(error.what()) << std::endl;
  if (json) {
    std::cout.clear();
    std::cout << document(error).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << std::endl;
  }
} catch (...) {
}

}  // namespace goldentrace
