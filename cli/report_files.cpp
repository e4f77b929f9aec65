#include "cli/report_files.h"

#include <algorithm>
#include <functional>
#include <map>

#include "cli/choice.h"
#include "cli/output_file.h"
#include "diff/json_report.h"
#include "diff/text_report.h"

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

}  // namespace

void check_report_files(const Paths& paths, const Paths& read_from) {
  for (const std::filesystem::path& path : paths) {
    if (!formats.contains(path.extension())) refuse_choice("--report", path.extension(), endings());
    check_output_file(path, read_from);
  }
}

void write_report_files(const Paths& paths, const Report& report, std::int64_t limit) {
  for (const std::filesystem::path& path : paths) write_output_file(path, formats.at(path.extension())(report, limit));
}

}  // namespace goldentrace
