#include "traces/foreign_text.h"

namespace goldentrace {
namespace {

constexpr std::string_view pointer_magic = "version https://git-lfs";

bool looks_like_html(std::string_view text) {
  const auto start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return false;
  const auto rest = text.substr(start);
  return rest.starts_with("<!") || rest.starts_with("<html") || rest.starts_with("<HTML") || rest.starts_with("<?xml");
}

}  // namespace

std::string foreign_text(std::string_view head, std::string_view wanted) {
  if (head.starts_with(pointer_magic)) return "looks like a git-lfs pointer; fetch the file with git lfs pull";
  return looks_like_html(head) ? "not " + std::string(wanted) + " (HTML, perhaps an error page)" : "";
}

}  // namespace goldentrace
