#include "diff/replay_command.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace goldentrace {

namespace {

bool is_plain(char c) {
  constexpr std::string_view others = "_-./=:,+@%";
  return std::isalnum(static_cast<unsigned char>(c)) || others.find(c) != std::string_view::npos;
}

}  // namespace

std::string shell_quoted(const std::string& word) {
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

std::string replay_command(const std::filesystem::path& a, const std::filesystem::path& b,
                           const Divergence& divergence) {
  const RecordId& id = divergence.pair.id_b;
  if (id.pass == Pass::update || id.layer == root_layer || id.role == Role::loss) return {};
  std::string command = "gtrace replay " + shell_quoted(b.string()) + " --layer " + shell_quoted(id.layer) +
                        " --step " + std::to_string(id.step) + " --micro " + std::to_string(id.micro);
  if (id.call != 0) command += " --call " + std::to_string(id.call);
  command += id.pass == Pass::backward ? " --pass backward" : " --pass forward";
  if (divergence.origin == Origin::glue) command += " --inputs " + shell_quoted(a.string());
  return command;
}

}  // namespace goldentrace
