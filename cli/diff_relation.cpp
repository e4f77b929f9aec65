#include "cli/diff_relation.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>

#include "diff/relation/built_in.h"
#include "traces/error.h"
#include "traces/file_status.h"
#include "traces/suggest.h"

namespace goldentrace {
namespace {

constexpr const char* identity = "identity";
constexpr const char* infer = "infer";

bool is_built_in(const std::string& name) {
  const std::vector<std::string> names = built_in_relations();
  return std::ranges::find(names, name) != names.end();
}

// Ends the command: nothing is compared.
void print_relation(const std::string& name) {
  std::string text(relation_text(name));
  while (text.ends_with('\n')) text.pop_back();
  throw CLI::CallForVersion(text, 0);
}

std::shared_ptr<const Relation> relation_of(const std::string& asked) {
  if (is_built_in(asked)) return built_in_relation(asked);
  if (is_there(asked) || asked.ends_with(".toml") || asked.find('/') != std::string::npos) {
    return std::make_shared<const Relation>(read_relation(asked));
  }
  std::vector<std::string> names = built_in_relations();
  names.emplace_back(identity);
  names.emplace_back(infer);
  throw Error(ErrorCode::usage, unknown_name("relation", asked, names) + "; a relation of your own is a TOML file");
}

}  // namespace

void add_relation_options(CLI::App& command, std::vector<std::string>& relations) {
  command
      .add_option(
          "--relation", relations,
          "Which tensors correspond: identity (by name), infer (by content), a built-in relation such as "
          "accumulation or megatron-hf, or a TOML file; repeatable, used in this order (default: by the headers)")
      ->type_name("NAME|FILE");
  command.add_option_function<std::string>("--print-relation", print_relation, "Print a built-in relation as TOML")
      ->type_name("NAME")
      ->trigger_on_parse();
}

void set_relations(const std::vector<std::string>& asked, DiffOptions& options) {
  for (const std::string& name : asked) {
    const bool alone = name == identity || name == infer;
    if (alone && asked.size() > 1) throw Error(ErrorCode::usage, "--relation " + name + " stands alone");
    options.relation_use = name == identity ? RelationUse::identity
                           : name == infer  ? RelationUse::inferred
                                            : RelationUse::given;
    if (!alone) options.relations.push_back(relation_of(name));
  }
}

void set_unscale(const Header& a, const Header& b, DiffOptions& options) {
  if (!a.contains("loss.scale") && !b.contains("loss.scale"))
    throw Error(ErrorCode::usage, "--unscale: neither header has the entry loss.scale");
  options.also.push_back(built_in_relation("unscale"));
}

}  // namespace goldentrace
