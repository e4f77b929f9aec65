#include "diff/relation_choice.h"

#include <utility>

#include "diff/relation/built_in.h"
#include "diff/relation/infer.h"

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
  return {std::make_shared<const Relation>(std::move(relation)), "by content", std::move(found.text),
          std::move(found.unmatched)};
}

ChosenRelation asked_relation(const TraceView& a, const TraceView& b, const DiffOptions& options) {
  if (options.relation_use == RelationUse::identity) return {};
  if (options.relation_use == RelationUse::given) return {options.relation, "asked for", "", {}};
  if (options.relation_use == RelationUse::inferred) return inferred_relation(a, b);
  if (!a.header || !b.header) return {};
  for (const std::string& name : built_in_relations()) {
    const std::shared_ptr<const Relation> relation = built_in_relation(name);
    if (ask_for(*relation, *a.header, *b.header)) return {relation, "chosen from the headers", "", {}};
  }
  return {};
}

}  // namespace

ChosenRelation choose_relation(const TraceView& a, const TraceView& b, const DiffOptions& options) {
  ChosenRelation chosen = asked_relation(a, b, options);
  // Samples and positions are chosen on logical tensors, also by name.
  if (!chosen.relation && options.positions.any()) {
    Relation by_name;
    by_name.name = "identity";
    chosen = {std::make_shared<const Relation>(std::move(by_name)), "by name", "", {}};
  }
  return chosen;
}

RelationReport relation_report(const ChosenRelation& chosen, const RelatedTraces& related) {
  RelationReport report{chosen.relation->name,    chosen.chosen, related.sides(), {}, {},
                        related.unequal_copies(), chosen.toml,   chosen.unmatched};
  for (const LeftOutRecord& each : related.left_out()) {
    report.left_out.push_back({each.side == Side::a ? "A" : "B", each.id, each.reason});
  }
  for (const PartialPair& each : related.partial()) report.partial.push_back({each.id, each.text});
  return report;
}

}  // namespace goldentrace
