#include "checkpoints/file_kind.h"

#include <array>
#include <string_view>
#include <utility>

namespace goldentrace {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> magic{{
    {"version https://git-lfs", "looks like a git-lfs pointer; fetch the file with git lfs pull"},
    {"PK\x03\x04", "not safetensors (a zip archive, as torch.save writes)"},
    {"\x89HDF\r\n", "not safetensors (an HDF5 file)"},
    {"\x80\x02", "not safetensors (a Python pickle)"},
    {"GGUF", "not safetensors (a GGUF file)"},
    {"\x1f\x8b", "not safetensors (compressed by gzip)"},
    {"{", "not safetensors (JSON text; perhaps its index file)"},
}};

bool looks_like_html(std::string_view text) {
  const auto start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return false;
  const auto rest = text.substr(start);
  return rest.starts_with("<!") || rest.starts_with("<html") || rest.starts_with("<HTML") || rest.starts_with("<?xml");
}

}  // namespace

std::string foreign_file_kind(std::span<const char> head) {
  const std::string_view text(head.data(), head.size());
  for (const auto& [start, sentence] : magic)
    if (text.starts_with(start)) return std::string(sentence);
  return looks_like_html(text) ? "not safetensors (HTML, perhaps an error page)" : "";
}

}  // namespace goldentrace
