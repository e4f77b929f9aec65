#include "diff/replay_command.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "traces/printable.h"

namespace goldentrace {

namespace {

bool is_plain(char c) {
  constexpr std::string_view others = "_-./=:,+@%";
  return std::isalnum(static_cast<unsigned char>(c)) || others.find(c) != std::string_view::npos;
}

// Inside $'…'.
std::string escaped_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0x20 && byte < 0x7f) return std::string(1, c);
  constexpr std::string_view digits = "01234567";
  return {'\\', digits[byte >> 6], digits[byte >> 3 & 7], digits[byte & 7]};
}

}  // namespace

std::string shell_quoted(const std::string& word) {
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return word;
  const bool control = printable(word) != word;
  std::string quoted = control ? "$'" : "'";
  for (const char c : word) {
    if (control && (c == '\'' || c == '\\')) {
      quoted += std::string("\\") + c;
    } else {
      quoted += c == '\'' ? "'\\''" : control ? escaped_control(c) : std::string(1, c);
    }
  }
  return quoted + "'";
}

std::string replay_command(const std::filesystem::path& a, const std::filesystem::path& b, const Divergence& divergence,
                           ReplaySources sources) {
  const RecordId& id = divergence.pair.id_b;
  if (id.pass == Pass::update || id.layer == root_layer || id.role == Role::loss) return {};
  if (!sources.a && !sources.b) return {};
  std::string command = "gtrace replay " + shell_quoted((sources.b ? b : a).string()) + " --layer " +
                        shell_quoted(id.layer) + " --step " + std::to_string(id.step) + " --micro " +
                        std::to_string(id.micro);
  if (id.rank != 0) command += " --rank " + std::to_string(id.rank);
  if (id.call != 0) command += " --call " + std::to_string(id.call);
  command += id.pass == Pass::backward ? " --pass backward" : " --pass forward";
  if (!sources.b) return command + " --tape-from " + shell_quoted(b.string());
  const bool glue = divergence.origin == Origin::glue && sources.a;
  return glue ? command + " --inputs " + shell_quoted(a.string()) : command;
}

}  // namespace goldentrace
