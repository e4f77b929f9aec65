#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "diff/relation/arithmetic.h"
#include "diff/relation/relation.h"
#include "diff/rules_words.h"
#include "traces/error.h"
#include "traces/file_status.h"
#include "traces/printable.h"

namespace goldentrace {

namespace {

using Words = RuleWords;

const Words file_keys{"relation", "about", "a", "b", "symbols", "pair", "absent"};
const Words side_keys{"name", "header"};
const Words pair_keys{"layer",   "a",        "b",        "role",     "pass",   "index",  "index_a",
                      "index_b", "source_a", "source_b", "form",     "form_a", "form_b", "unmasked",
                      "when",    "when_a",   "when_b",   "stand_in", "steps",  "note"};
const Words absent_keys{"a", "b", "role", "pass", "index", "when", "when_a", "when_b", "reason"};
const Words symbol_keys{"a", "b", "own", "otherwise"};
const Words role_words{"input", "output", "grad_output", "grad_input", "param", "param_grad", "buffer", "loss"};
const Words step_words{"without-loss"};
const Words pass_words{"forward", "recompute", "backward", "update"};

class RelationParser {
 public:
  explicit RelationParser(std::filesystem::path path) : path_(std::move(path)) {}

  Relation parse(std::string_view text) {
    relation_.path = path_;
    relation_.name = path_.string();
    const toml::table table = parse_toml(text);
    for (const auto& [key, node] : table) parse_entry(std::string(key.str()), node);
    if (relation_.lines.empty()) refuse(1, "no [[pair]] in the file");
    std::ranges::stable_sort(relation_.lines, {}, &RelationLine::line);
    for (const RelationLine& line : relation_.lines) check(line);
    return std::move(relation_);
  }

 private:
  toml::table parse_toml(std::string_view text) const {
    try {
      return toml::parse(text);
    } catch (const toml::parse_error& error) {
      refuse(static_cast<int>(error.source().begin.line), "is no TOML there: " + std::string(error.description()));
    }
  }

  void parse_entry(const std::string& key, const toml::node& node) {
    if (key == "relation") {
      relation_.name = text(node, key);
    } else if (key == "about") {
      relation_.about = text(node, key);
    } else if (key == "a") {
      relation_.a = side(node, key);
    } else if (key == "b") {
      relation_.b = side(node, key);
    } else if (key == "symbols") {
      parse_symbols(node);
    } else if (key == "pair" || key == "absent") {
      parse_lines(node, key);
    } else {
      refuse_word(node, "key", key, file_keys);
    }
  }

  void parse_lines(const toml::node& node, const std::string& key) {
    const toml::array* array = node.as_array();
    if (!array || !array->is_array_of_tables()) refuse(line(node), "'" + key + "' must be written as [[" + key + "]]");
    for (const toml::node& each : *array) {
      relation_.lines.push_back(key == "pair" ? pair(*each.as_table()) : absent(*each.as_table()));
    }
  }

  RelationSide side(const toml::node& node, const std::string& key) const {
    RelationSide result;
    for (const auto& [name, value] : table_of(node, key)) {
      if (name.str() == "name") {
        result.name = text(value, "name");
      } else if (name.str() == "header") {
        result.header = condition(value, "header");
      } else {
        refuse_word(value, "key", std::string(name.str()), side_keys);
      }
    }
    return result;
  }

  void parse_symbols(const toml::node& node) {
    for (const auto& [key, value] : table_of(node, "symbols")) {
      const std::string name(key.str());
      if (!names_in_itself(name))
        refuse(line(value), "the symbol '" + name + "' is no name; use letters, digits and '_'");
      relation_.symbols[name] = symbol(value, name);
    }
  }

  static bool names_in_itself(const std::string& name) {
    try {
      return names_in(name) == std::set<std::string>{name};
    } catch (const Error&) {
      return false;
    }
  }

  Symbol symbol(const toml::node& node, const std::string& name) const {
    Symbol result;
    if (const auto number = node.value<double>()) {
      result.number = *number;
      return result;
    }
    if (!node.is_table())
      refuse(line(node), "'" + name + "' must be a number, or { a = \"HEADER ENTRY\", b = \"HEADER ENTRY\" }");
    for (const auto& [key, value] : *node.as_table()) {
      parse_symbol_entry(result, std::string(key.str()), value);
    }
    if (!result.own.empty() && !(result.header_a.empty() && result.header_b.empty()))
      refuse(line(node), "'" + name + "': 'own' stands for both sides; use it, or 'a' and 'b'");
    return result;
  }

  void parse_symbol_entry(Symbol& result, const std::string& key, const toml::node& node) const {
    if (key == "a") {
      result.header_a = texts(node, key);
    } else if (key == "b") {
      result.header_b = texts(node, key);
    } else if (key == "own") {
      result.own = texts(node, key);
    } else if (key == "otherwise") {
      const auto number = node.value<double>();
      if (!number) refuse(line(node), "'otherwise' must be a number");
      result.otherwise = *number;
    } else {
      refuse_word(node, "key", key, symbol_keys);
    }
  }

  StepKind steps(const toml::node& node) const {
    const std::string word = text(node, "steps");
    if (word != step_words.back()) refuse_word(node, "kind of steps", word, step_words);
    return StepKind::without_loss;
  }

  Pass stand_in(const toml::node& node) const {
    const std::string word = text(node, "stand_in");
    if (std::ranges::find(pass_words, word) == pass_words.end()) refuse_word(node, "pass", word, pass_words);
    return parse_pass(word);
  }

  RelationLine pair(const toml::table& table) const {
    RelationLine result;
    result.line = line(table);
    result.a = result.b = RecordPattern{};
    bool has_a = false;
    bool has_b = false;
    for (const auto& [key, node] : table) {
      const std::string name(key.str());
      if (std::ranges::find(pair_keys, name) == pair_keys.end()) refuse_word(node, "key", name, pair_keys);
      has_a = has_a || name == "a" || name == "layer";
      has_b = has_b || name == "b" || name == "layer";
      parse_pair_entry(result, name, node);
    }
    if (!has_a || !has_b) refuse(result.line, "a [[pair]] needs 'layer', or both 'a' and 'b'");
    if (table.contains("layer") && (table.contains("a") || table.contains("b"))) {
      refuse(result.line, "'layer' stands for both sides; use it, or 'a' and 'b'");
    }
    return result;
  }

  void parse_pair_entry(RelationLine& result, const std::string& key, const toml::node& node) const {
    if (key == "layer" || key == "a") result.a->layer = pattern(node, key);
    if (key == "layer" || key == "b") result.b->layer = pattern(node, key);
    if (key == "index" || key == "index_a") result.a->index = pattern(node, key);
    if (key == "index" || key == "index_b") result.b->index = pattern(node, key);
    if (key == "source_a") result.a->from = pattern(node, key);
    if (key == "source_b") result.b->from = pattern(node, key);
    if (key == "form" || key == "form_a") result.form_a = form(node, key);
    if (key == "form" || key == "form_b") result.form_b = form(node, key);
    if (key == "role") result.a->roles = result.b->roles = roles(node);
    if (key == "pass") result.a->passes = result.b->passes = passes(node);
    if (key == "unmasked") result.unmasked = pattern(node, key);
    if (key == "note") result.note = text(node, key);
    if (key == "stand_in") result.stand_in = stand_in(node);
    if (key == "steps") result.steps = steps(node);
    parse_when(result, key, node);
  }

  void parse_when(RelationLine& result, const std::string& key, const toml::node& node) const {
    if (key == "when") result.when = condition(node, key);
    if (key == "when_a") result.when_a = condition(node, key);
    if (key == "when_b") result.when_b = condition(node, key);
  }

  RelationLine absent(const toml::table& table) const {
    RelationLine result;
    result.line = line(table);
    RecordPattern records;
    for (const auto& [key, node] : table) {
      const std::string name(key.str());
      if (std::ranges::find(absent_keys, name) == absent_keys.end()) refuse_word(node, "key", name, absent_keys);
      if (name == "a" || name == "b") records.layer = pattern(node, name);
      if (name == "index") records.index = pattern(node, name);
      if (name == "role") records.roles = roles(node);
      if (name == "pass") records.passes = passes(node);
      if (name == "reason") result.reason = text(node, name);
      parse_when(result, name, node);
    }
    if (table.contains("a") == table.contains("b")) refuse(result.line, "an [[absent]] needs one of 'a' and 'b'");
    if (result.reason.empty()) refuse(result.line, "an [[absent]] needs a 'reason', which the report shows");
    (table.contains("a") ? result.a : result.b) = std::move(records);
    return result;
  }

  void check(const RelationLine& line) const {
    if (!line.a || !line.b) return;
    check_captures(line, line.a->layer.names(), line.a->layer, line.b->layer);
    check_captures(line, line.b->layer.names(), line.b->layer, line.a->layer);
    if (line.unmasked) check_captures(line, line.a->layer.names(), line.a->layer, *line.unmasked);
    if (line.a->index && line.b->index) {
      check_captures(line, index_names(*line.a), *line.a->index, *line.b->index);
      check_captures(line, index_names(*line.b), *line.b->index, *line.a->index);
    }
    if (line.a->from) check_captures(line, line.a->layer.names(), line.a->layer, *line.a->from);
    if (line.b->from) check_captures(line, line.b->layer.names(), line.b->layer, *line.b->from);
    const bool names_a = line.a->index || line.a->from;
    const bool names_b = line.b->index || line.b->from;
    if (names_a != names_b) refuse(line.line, "'index_a' (or 'source_a') and 'index_b' (or 'source_b') go together");
    check_names(line, line.form_a);
    check_names(line, line.form_b);
  }

  static std::set<std::string> index_names(const RecordPattern& pattern) {
    std::set<std::string> names = pattern.layer.names();
    std::erase_if(names, [](const std::string& name) { return name.front() == '*'; });
    names.merge(pattern.index->names());
    return names;
  }

  void check_captures(const RelationLine& line, const std::set<std::string>& known, const NamePattern& from,
                      const NamePattern& to) const {
    for (const std::string& name : to.names()) {
      if (known.contains(name)) continue;
      const std::string shown = name.front() == '*' ? "a '*'" : "{" + name + "}";
      refuse(line.line,
             shown + " of '" + to.text() + "' is not in '" + from.text() + "', so names cannot be carried over");
    }
  }

  void check_names(const RelationLine& line, const Form& form) const {
    const std::set<std::string> captures = line.a->layer.names();
    Words known(captures.begin(), captures.end());
    for (const auto& [name, symbol] : relation_.symbols) known.push_back(name);
    for (const std::string& name : form.names()) {
      if (std::ranges::find(known, name) == known.end())
        refuse(line.line, "in '" + form.text() + "': " + unknown_word("symbol", name, known));
    }
  }

  NamePattern pattern(const toml::node& node, const std::string& key) const {
    return understood(node, key, [&] { return NamePattern(text(node, key)); });
  }

  Form form(const toml::node& node, const std::string& key) const {
    return understood(node, key, [&] { return Form(text(node, key)); });
  }

  template <typename Make>
  auto understood(const toml::node& node, const std::string& key, const Make& make) const -> decltype(make()) {
    const std::string checked = text(node, key);
    try {
      return make();
    } catch (const Error& error) {
      refuse(line(node), "'" + key + "': " + error.what());
    }
  }

  std::vector<Role> roles(const toml::node& node) const {
    std::vector<Role> result;
    for (const std::string& word : words(node, "role", role_words)) result.push_back(parse_role(word));
    return result;
  }

  std::vector<Pass> passes(const toml::node& node) const {
    std::vector<Pass> result;
    for (const std::string& word : words(node, "pass", pass_words)) result.push_back(parse_pass(word));
    return result;
  }

  Words words(const toml::node& node, const char* key, const Words& known) const {
    Words result = texts(node, key);
    for (const std::string& word : result) {
      if (std::ranges::find(known, word) == known.end()) refuse_word(node, key, word, known);
    }
    return result;
  }

  HeaderCondition condition(const toml::node& node, const std::string& key) const {
    HeaderCondition result;
    for (const auto& [name, value] : table_of(node, key))
      result[std::string(name.str())] = texts(value, std::string(name.str()));
    return result;
  }

  const toml::table& table_of(const toml::node& node, const std::string& key) const {
    const toml::table* table = node.as_table();
    if (!table) refuse(line(node), "'" + key + "' must be a table");
    return *table;
  }

  std::string text(const toml::node& node, const std::string& key) const {
    const auto value = node.value<std::string>();
    if (!node.is_string() || !value) refuse(line(node), "'" + key + "' must be a text in quotes");
    return *value;
  }

  Words texts(const toml::node& node, const std::string& key) const {
    if (node.is_string()) return {text(node, key)};
    const toml::array* array = node.as_array();
    if (!array || array->empty()) refuse(line(node), "'" + key + "' must be a text or a list of texts");
    Words result;
    for (const toml::node& each : *array) result.push_back(text(each, key));
    return result;
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
  Relation relation_;
};

constexpr std::uintmax_t largest_relation_file = 1 << 20;

}  // namespace

Relation parse_relation(std::string_view text, const std::filesystem::path& path) {
  return RelationParser(path).parse(text);
}

Relation read_relation(const std::filesystem::path& path) {
  if (!is_there(path)) throw Error(ErrorCode::not_found, "no such file", {path.string(), ""});
  if (!is_file(path) || size_of_file(path) > largest_relation_file) {
    throw Error(ErrorCode::input_output, "is no relation: a regular file of at most 1 MiB is expected",
                {path.string(), ""});
  }
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) throw Error(ErrorCode::input_output, "cannot be read", {path.string(), ""});
  return parse_relation(text, path);
}

}  // namespace goldentrace
