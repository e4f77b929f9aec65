#include "diff/relation/built_in.h"

#include <array>
#include <map>
#include <mutex>

#include "diff/relation/built_in_texts.h"
#include "traces/error.h"
#include "traces/suggest.h"

namespace goldentrace {

std::vector<std::string> built_in_relations() {
  std::vector<std::string> names;
  for (const BuiltInText& each : built_in_texts) names.emplace_back(each.name);
  return names;
}

std::string_view relation_text(const std::string& name) {
  for (const BuiltInText& each : built_in_texts) {
    if (each.name == name) return each.text;
  }
  throw Error(ErrorCode::usage, unknown_name("relation", name, built_in_relations()));
}

std::shared_ptr<const Relation> built_in_relation(const std::string& name) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const Relation>> known;
  const std::lock_guard lock(mutex);
  std::shared_ptr<const Relation>& relation = known[name];
  if (!relation) {
    Relation parsed = parse_relation(relation_text(name), "relation " + name);
    parsed.path.clear();
    relation = std::make_shared<const Relation>(std::move(parsed));
  }
  return relation;
}

}  // namespace goldentrace
