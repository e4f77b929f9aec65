#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>

#include "diff/rules.h"
#include "diff/rules_syntax.h"
#include "diff/rules_words.h"
#include "traces/error.h"
#include "traces/file_status.h"
#include "traces/printable.h"

namespace goldentrace {

namespace {

using Words = RuleWords;

const Words role_words{"input",      "output", "grad_output", "grad_input", "param",
                       "param_grad", "buffer", "loss",        "op_output"};
const Words pass_words{"forward", "recompute", "backward", "update"};
const Words gate_words{"bitwise", "allclose", "rel"};
const Words nan_words{"same", "differ"};

class RulesParser {
 public:
  explicit RulesParser(std::filesystem::path path) : path_(std::move(path)) {}

  Rules parse(std::string_view text) {
    Rules rules{path_, {}};
    const toml::table table = parse_toml(text);
    for (const auto& [key, node] : table) {
      if (key.str() != "rule") refuse_word(node, "key", std::string(key.str()), {"rule"});
      const toml::array* array = node.as_array();
      if (!array || !array->is_array_of_tables()) refuse(line(node), "'rule' must be written as [[rule]]");
      for (const toml::node& each : *array) rules.rules.push_back(parse_rule(*each.as_table()));
    }
    if (rules.rules.empty()) refuse(1, "no [[rule]] in the file");
    return rules;
  }

 private:
  toml::table parse_toml(std::string_view text) const {
    try {
      return toml::parse(text);
    } catch (const toml::parse_error& error) {
      const SyntaxError found = explain_syntax(text, static_cast<int>(error.source().begin.line));
      refuse(found.line, found.text);
    }
  }

  Rule parse_rule(const toml::table& table) const {
    Rule rule;
    rule.line = line(table);
    for (const auto& [key, node] : table) parse_entry(rule, std::string(key.str()), node);
    check_limits(rule);
    return rule;
  }

  void parse_entry(Rule& rule, const std::string& key, const toml::node& node) const {
    if (key == "layer") {
      rule.layers = texts(node, key);
    } else if (key == "role") {
      for (const std::string& word : words(node, key, role_words)) rule.roles.push_back(parse_role(word));
    } else if (key == "pass") {
      for (const std::string& word : words(node, key, pass_words)) rule.passes.push_back(parse_pass(word));
    } else if (key == "gate") {
      rule.kind = parse_gate_kind(words(node, key, gate_words).front());
    } else if (key == "nan") {
      rule.nan = parse_nan_policy(words(node, key, nan_words).front());
    } else if (key == "rtol") {
      rule.rtol = limit(node, key);
    } else if (key == "atol") {
      rule.atol = limit(node, key);
    } else if (key == "rel") {
      rule.rel = limit(node, key);
    } else {
      refuse_word(node, "key", key, rule_keys);
    }
  }

  void check_limits(const Rule& rule) const {
    if (!rule.kind) return;
    if (rule.rel && *rule.kind != GateKind::rel) refuse(rule.line, "'rel' belongs to gate = \"rel\"");
    if ((rule.rtol || rule.atol) && *rule.kind != GateKind::allclose) {
      refuse(rule.line, "'rtol' and 'atol' belong to gate = \"allclose\"");
    }
  }

  Words texts(const toml::node& node, const std::string& key) const {
    Words result;
    if (const auto text = node.value<std::string>()) return {*text};
    const toml::array* array = node.as_array();
    if (!array || array->empty()) refuse(line(node), "'" + key + "' must be a string or a list of strings");
    for (const toml::node& each : *array) {
      const auto text = each.value<std::string>();
      if (!text) refuse(line(each), "'" + key + "' must be a string or a list of strings");
      result.push_back(*text);
    }
    return result;
  }

  Words words(const toml::node& node, const std::string& key, const Words& known) const {
    Words result = texts(node, key);
    const bool single = key == "gate" || key == "nan";
    if (single && result.size() != 1) refuse(line(node), "'" + key + "' takes one word");
    for (const std::string& word : result) {
      if (std::ranges::find(known, word) == known.end()) refuse_word(node, key.c_str(), word, known);
    }
    return result;
  }

  double limit(const toml::node& node, const std::string& key) const {
    const auto value = node.value<double>();
    if (!value || !std::isfinite(*value) || *value < 0) refuse(line(node), "'" + key + "' must be a number >= 0");
    return *value;
  }

  static int line(const toml::node& node) { return static_cast<int>(node.source().begin.line); }

  [[noreturn]] void refuse_word(const toml::node& node, const char* what, const std::string& word,
                                const Words& known) const {
    refuse(line(node), unknown_word(what, word, known));
  }

  [[noreturn]] void refuse(int line, const std::string& what) const {
    throw Error(ErrorCode::usage, "line " + std::to_string(line) + ": " + printable(what), {path_.string(), ""});
  }

  std::filesystem::path path_;
};

constexpr std::uintmax_t largest_rules_file = 1 << 20;

}  // namespace

Rules parse_rules(std::string_view text, const std::filesystem::path& path) { return RulesParser(path).parse(text); }

Rules read_rules(const std::filesystem::path& path) {
  if (!is_there(path)) throw Error(ErrorCode::not_found, "no such file", {path.string(), ""});
  if (!is_file(path) || size_of_file(path) > largest_rules_file) {
    throw Error(ErrorCode::input_output, "is no file of rules: a regular file of at most 1 MiB is expected",
                {path.string(), ""});
  }
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) throw Error(ErrorCode::input_output, "cannot be read", {path.string(), ""});
  return parse_rules(text, path);
}

}  // namespace goldentrace
