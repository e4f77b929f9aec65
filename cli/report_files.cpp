#include "cli/report_files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>

#include "cli/choice.h"
#include "cli/output_path.h"
#include "diff/json_report.h"
#include "diff/text_report.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

using Format = std::function<std::string(const Report&, std::int64_t limit)>;

const std::map<std::string, Format> formats = {
    {".json", [](const Report& report, std::int64_t) { return to_json(report); }},
    {".txt", [](const Report& report, std::int64_t limit) { return to_text(report, {.limit = limit}); }}};

std::vector<std::string> endings() {
  std::vector<std::string> list;
  for (const auto& [ending, format] : formats) list.push_back(ending);
  return list;
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (file) return;
  throw Error(ErrorCode::input_output, std::string("cannot write the report: ") + std::strerror(errno),
              {path.string(), ""});
}

}  // namespace

void check_report_files(const std::vector<std::filesystem::path>& paths) {
  for (const std::filesystem::path& path : paths) {
    if (!formats.contains(path.extension())) refuse_choice("--report", path.extension(), endings());
    check_output_path(path);
  }
}

void write_report_files(const std::vector<std::filesystem::path>& paths, const Report& report, std::int64_t limit) {
  for (const std::filesystem::path& path : paths) write(path, formats.at(path.extension())(report, limit));
}

}  // namespace goldentrace
