#include "cli/child_environment.h"

#include <unistd.h>

namespace goldentrace {

std::vector<std::string> merged_environment(const std::map<std::string, std::string>& extra) {
  std::vector<std::string> list;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!extra.contains(text.substr(0, text.find('=')))) list.push_back(text);
  }
  for (const auto& [name, value] : extra) list.push_back(name + "=" + value);
  return list;
}

std::vector<char*> word_pointers(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (const std::string& text : texts) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

}  // namespace goldentrace
