#include "diff/relation/relation_use.h"

#include <algorithm>
#include <set>

#include "traces/error.h"
#include "traces/suggest.h"

namespace goldentrace {

namespace {

// "layers.3.mlp" as patterns are written: "layers.{i}.mlp".
std::string with_captures(const std::string& layer, const NamePattern& pattern) {
  if (pattern.text().find('{') == std::string::npos) return layer;
  std::string result;
  for (std::size_t begin = 0; begin <= layer.size();) {
    const std::size_t end = std::min(layer.size(), layer.find('.', begin));
    const std::string part = layer.substr(begin, end - begin);
    const bool number = !part.empty() && part.find_first_not_of("0123456789") == std::string::npos;
    result += (begin == 0 ? "" : ".") + (number ? std::string("{i}") : part);
    begin = end + 1;
  }
  return result;
}

[[noreturn]] void refuse(const Relation& relation, const RelationLine& line, const std::string& what) {
  throw Error(ErrorCode::usage, "line " + std::to_string(line.line) + " " + what, {relation.path.string(), ""});
}

bool is_conditional(const RelationLine& line) {
  return !line.when.empty() || !line.when_a.empty() || !line.when_b.empty();
}

void check_use(const Relation& relation, const RelationLine& line, const RelatedSide& side,
               const RecordPattern& pattern) {
  if (side.logical().uses().contains(&line) || is_conditional(line)) return;
  std::set<std::string> layers;
  bool layer_is_there = false;
  for (const Record& record : side.logical().trace().records) {
    layer_is_there = layer_is_there || pattern.layer.match(record.id.layer);
    layers.insert(with_captures(record.id.layer, pattern.layer));
  }
  const std::string trace = side.view().path.string();
  if (layer_is_there) {
    refuse(relation, line,
           "takes no record of " + trace + ": no record of '" + pattern.layer.text() +
               "' has the role, pass or index that it asks for, or later lines take them all");
  }
  const std::vector<std::string> names(layers.begin(), layers.end());
  refuse(relation, line, "takes no record of " + trace + ": " + unknown_name("layer", pattern.layer.text(), names));
}

std::int64_t uses(const RelatedSide& side, const RelationLine& line) {
  const auto found = side.logical().uses().find(&line);
  return found == side.logical().uses().end() ? 0 : found->second;
}

std::string form_text(const RelationLine& line) {
  if (!line.reason.empty()) return "left out: " + line.reason;
  const std::string& a = line.form_a.text();
  const std::string& b = line.form_b.text();
  const auto shown = [](const std::string& text) { return text.empty() ? std::string("identity") : text; };
  const std::string text = a == b ? shown(a) : shown(a) + " of a, " + shown(b) + " of b";
  return line.stand_in ? text + ", a " + std::string(name(*line.stand_in)) + " record where there is none" : text;
}

// "layers.{i} | h.{i} input, output".
std::string records_text(const RelationLine& line) {
  const std::string a = line.a ? line.a->layer.text() : "(none)";
  const std::string b = line.b ? line.b->layer.text() : "(none)";
  std::string text = a == b ? a : a + " | " + b;
  const RecordPattern& pattern = line.a ? *line.a : *line.b;
  for (const Pass pass : pattern.passes)
    text += (pass == pattern.passes.front() ? " " : ", ") + std::string(name(pass));
  for (const Role role : pattern.roles) text += (role == pattern.roles.front() ? " " : ", ") + std::string(name(role));
  return text;
}

}  // namespace

std::vector<UsedLine> used_lines(const BothSides& sides) {
  std::vector<UsedLine> result;
  for (const RelationRole& role : sides.roles_a) {
    for (const RelationLine& line : role.relation->lines) {
      UsedLine used{role.relation->name, line.line,           records_text(line),
                    form_text(line),     uses(sides.a, line), uses(sides.b, line)};
      if (used.records_a + used.records_b > 0) result.push_back(std::move(used));
    }
  }
  return result;
}

void check_lines_take_records(const BothSides& sides) {
  for (const RelationRole& role : sides.roles_a) {
    if (role.relation->is_built_in()) continue;
    const RelatedSide& of_a = role.part == RelationPart::a ? sides.a : sides.b;
    const RelatedSide& of_b = role.part == RelationPart::a ? sides.b : sides.a;
    for (const RelationLine& line : role.relation->lines) {
      if (line.a && !line.stand_in) check_use(*role.relation, line, of_a, *line.a);
      if (line.b && !line.stand_in) check_use(*role.relation, line, of_b, *line.b);
    }
  }
}

void check_forms_fit(const BothSides& sides, const FormFits& fits) {
  for (const RelationRole& role : sides.roles_a) {
    if (role.relation->is_built_in()) continue;
    for (const RelationLine& line : role.relation->lines) {
      const auto found = fits.find(&line);
      if (found == fits.end() || found->second.fitting > 0 || found->second.misfit.empty()) continue;
      refuse(*role.relation, line, found->second.misfit);
    }
  }
}

}  // namespace goldentrace
