#include "checkpoints/file_kind.h"

#include <array>
#include <string_view>
#include <utility>

#include "traces/foreign_text.h"

namespace goldentrace {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> magic{{
    {"PK\x03\x04", "a zip archive, as torch.save writes"},
    {"\x89HDF\r\n", "an HDF5 file"},
    {"\x80\x02\x8a\x0a", "torch.save's format before 1.6; load and save it again with a newer torch"},
    {"\x80\x02", "a Python pickle"},
    {"GGUF", "a GGUF file"},
    {"\x1f\x8b", "compressed by gzip"},
    {"{", "JSON text; perhaps its index file"},
}};

}  // namespace

std::string foreign_file_kind(std::span<const char> head, std::string_view wanted) {
  const std::string_view text(head.data(), head.size());
  for (const auto& [start, kind] : magic)
    if (text.starts_with(start)) return "not " + std::string(wanted) + " (" + std::string(kind) + ")";
  return foreign_text(text, wanted);
}

}  // namespace goldentrace
