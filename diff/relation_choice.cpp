#include "diff/relation_choice.h"

#include <utility>

#include "diff/relation/built_in.h"
#include "diff/relation/infer.h"
#include "diff/relation/variant_sets.h"

namespace goldentrace {

namespace {

bool ask_for(const Relation& relation, const Header& a, const Header& b) {
  if (relation.a.header.empty() || relation.b.header.empty()) return false;
  return (holds(relation.a.header, a) && holds(relation.b.header, b)) ||
         (holds(relation.a.header, b) && holds(relation.b.header, a));
}

ChosenRelation inferred_relation(const TraceView& a, const TraceView& b) {
  InferredRelation found = infer_relation(a, b);
  Relation relation = parse_relation(found.text, "inferred relation");
  relation.path.clear();
  return {{std::make_shared<const Relation>(std::move(relation))},
          "by content",
          std::move(found.text),
          std::move(found.unmatched)};
}

// How the runs were trained, and in what shape their models are.
RelationSets sets_of_headers(const TraceView& a, const TraceView& b) {
  RelationSets sets;
  for (const std::string& name : variant_sets(a, b)) sets.push_back(built_in_relation(name));
  if (!a.header || !b.header) return sets;
  for (const std::string& name : built_in_relations()) {
    const std::shared_ptr<const Relation> relation = built_in_relation(name);
    if (!ask_for(*relation, *a.header, *b.header)) continue;
    sets.push_back(relation);
    break;
  }
  return sets;
}

ChosenRelation asked_relation(const TraceView& a, const TraceView& b, const DiffOptions& options) {
  if (options.relation_use == RelationUse::identity) return {};
  if (options.relation_use == RelationUse::given) return {options.relations, "asked for", "", {}};
  if (options.relation_use == RelationUse::inferred) return inferred_relation(a, b);
  return {sets_of_headers(a, b), "chosen from the headers", "", {}};
}

}  // namespace

ChosenRelation choose_relation(const TraceView& a, const TraceView& b, const DiffOptions& options) {
  ChosenRelation chosen = asked_relation(a, b, options);
  if (chosen.sets.empty() && !options.also.empty()) chosen.chosen = "asked for";
  chosen.sets.insert(chosen.sets.begin(), options.also.begin(), options.also.end());
  // Samples and positions are chosen on logical tensors, also by name.
  if (chosen.sets.empty() && options.positions.any()) {
    Relation by_name;
    by_name.name = "identity";
    chosen = {{std::make_shared<const Relation>(std::move(by_name))}, "by name", "", {}};
  }
  return chosen;
}

RelationReport relation_report(const ChosenRelation& chosen, const RelatedTraces& related) {
  RelationReport report;
  for (const auto& set : chosen.sets) report.name += (report.name.empty() ? "" : " + ") + set->name;
  report.chosen = chosen.chosen;
  report.sides = related.sides();
  report.used = related.used();
  report.unequal_copies = related.unequal_copies();
  report.toml = chosen.toml;
  report.unmatched = chosen.unmatched;
  for (const LeftOutRecord& each : related.left_out()) {
    report.left_out.push_back({each.side == Side::a ? "A" : "B", each.id, each.reason});
  }
  for (const PartialPair& each : related.partial()) report.partial.push_back({each.id, each.text});
  return report;
}

}  // namespace goldentrace
