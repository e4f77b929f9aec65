#include "checkpoints/file_kind.h"

#include <array>
#include <string_view>
#include <utility>

namespace goldentrace {
namespace {

constexpr std::string_view pointer_magic = "version https://git-lfs";

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> magic{{
    {"PK\x03\x04", "a zip archive, as torch.save writes"},
    {"\x89HDF\r\n", "an HDF5 file"},
    {"\x80\x02\x8a\x0a", "torch.save's format before 1.6; load and save it again with a newer torch"},
    {"\x80\x02", "a Python pickle"},
    {"GGUF", "a GGUF file"},
    {"\x1f\x8b", "compressed by gzip"},
    {"{", "JSON text; perhaps its index file"},
}};

bool looks_like_html(std::string_view text) {
  const auto start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return false;
  const auto rest = text.substr(start);
  return rest.starts_with("<!") || rest.starts_with("<html") || rest.starts_with("<HTML") || rest.starts_with("<?xml");
}

}  // namespace

std::string foreign_file_kind(std::span<const char> head, std::string_view wanted) {
  const std::string_view text(head.data(), head.size());
  if (text.starts_with(pointer_magic)) return "looks like a git-lfs pointer; fetch the file with git lfs pull";
  const auto refusal = [&](std::string_view kind) {
    return "not " + std::string(wanted) + " (" + std::string(kind) + ")";
  };
  for (const auto& [start, kind] : magic)
    if (text.starts_with(start)) return refusal(kind);
  return looks_like_html(text) ? refusal("HTML, perhaps an error page") : "";
}

}  // namespace goldentrace
