#include "cli/verdict_colour.h"

#include <utility>

#include "cli/terminal.h"

namespace goldentrace {
namespace {

constexpr std::pair<const char*, const char*> colours[] = {
    {"\nSAME:", "\033[1;32m"}, {"\nDIVERGED:", "\033[1;31m"}, {"\nINCOMPARABLE:", "\033[1;33m"}};

}  // namespace

std::string coloured_verdict(std::string text) {
  if (!wants_colour(Stream::out)) return text;
  for (const auto& [word, colour] : colours) {
    const std::string found = word;
    const std::size_t at = text.find(found);
    if (at == std::string::npos) continue;
    text.replace(at, found.size(), "\n" + std::string(colour) + found.substr(1) + "\033[0m");
  }
  return text;
}

}  // namespace goldentrace
