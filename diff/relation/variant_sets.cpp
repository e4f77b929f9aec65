#include "diff/relation/variant_sets.h"

#include <algorithm>
#include <cstdint>
#include <set>

#include "diff/relation/shard.h"

namespace goldentrace {

namespace {

constexpr const char* accumulation_steps = "model.gradient_accumulation_steps";
constexpr const char* variant = "model.variant";

bool says(const TraceView& trace, const char* name) { return trace.header && trace.header->contains(name); }

std::int64_t data_degree(const Header* header) {
  const std::int64_t ranks = header_count(header, "ranks");
  return header_count(header, "ranks.data", std::max<std::int64_t>(1, ranks / header_count(header, "ranks.tensor")));
}

std::string variant_of(const TraceView& trace) { return says(trace, variant) ? trace.header->at(variant) : ""; }

bool every_rank_updates(const TraceView& trace) {
  return std::ranges::any_of(trace.records,
                             [](const Record& record) { return record.id.pass == Pass::update && record.id.rank > 0; });
}

bool recomputes(const TraceView& trace) {
  return std::ranges::any_of(trace.records, [](const Record& record) { return record.id.pass == Pass::recompute; });
}

}  // namespace

bool splits_known_model(const TraceView& trace) {
  return header_count(trace.header, "ranks.tensor") > 1 && says(trace, "model.shape") &&
         trace.header->at("model.shape") == "megatron";
}

std::vector<std::string> variant_sets(const TraceView& a, const TraceView& b) {
  std::vector<std::string> names;
  const bool known = splits_known_model(a) || splits_known_model(b);
  if (known && header_count(a.header, "ranks.tensor") != header_count(b.header, "ranks.tensor"))
    names.emplace_back("tensor-parallel");
  if (header_count(a.header, accumulation_steps) != header_count(b.header, accumulation_steps))
    names.emplace_back("accumulation");
  if (data_degree(a.header) != data_degree(b.header)) names.emplace_back("data-parallel");
  if (data_degree(a.header) == data_degree(b.header) && data_degree(a.header) > 1 &&
      every_rank_updates(a) != every_rank_updates(b))
    names.emplace_back("processes");
  // One of two runs of the same variant that does not recompute has records missing.
  const bool one_alone = recomputes(a) != recomputes(b);
  if (one_alone && (variant_of(a) != variant_of(b) || variant_of(a).empty())) names.emplace_back("checkpointing");
  return names;
}

}  // namespace goldentrace
