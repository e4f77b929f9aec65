#include "cli/show_checkpoint.h"

#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "checkpoints/checkpoint_listing.h"
#include "cli/number.h"
#include "cli/text_table.h"
#include "traces/error.h"
#include "traces/glob.h"
#include "traces/printable.h"

namespace goldentrace {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t overview_tensors = 200;
constexpr std::size_t most_facts = 1000;  // arguments of one file

struct Row {
  const NamedView* tensor = nullptr;
  const TensorFile* file = nullptr;
};

struct Totals {
  std::uint64_t tensors = 0, elements = 0, bytes = 0;
};

// Plain values beside the tensors of a torch.save file, two levels deep: "args.num_layers" and its value.
using Facts = std::vector<std::pair<std::string, PickleValue>>;

void refuse_trace_options(const ShowOptions& options) {
  const std::pair<const char*, bool> given[]{{"--layer", !options.layer.empty()},
                                             {"--tape", !options.tape.empty()},
                                             {"--record", !options.record.empty()},
                                             {"--stats", options.stats}};
  for (const auto& [name, is_given] : given)
    if (is_given)
      throw Error(ErrorCode::usage, std::string(name) + " is for traces",
                  {.file = options.trace.string(), .record = {}});
}

std::vector<Row> rows_of(const CheckpointListing& listing, const std::string& filter) {
  std::vector<Row> rows;
  for (const auto& file : listing.files)
    for (const NamedView& tensor : file->tensors())
      if (filter.empty() || glob_match(filter, tensor.name)) rows.push_back({&tensor, file.get()});
  return rows;
}

Totals totals_of(const std::vector<Row>& rows) {
  Totals totals{.tensors = rows.size()};
  for (const Row& row : rows) {
    totals.elements += element_count(row.tensor->view);
    totals.bytes += byte_count(row.tensor->view);
  }
  return totals;
}

std::map<std::string, Totals> totals_by_dtype(const std::vector<Row>& rows) {
  std::map<std::string, std::vector<Row>> groups;
  for (const Row& row : rows) groups[std::string(name(row.tensor->view.dtype))].push_back(row);
  std::map<std::string, Totals> totals;
  for (const auto& [dtype, group] : groups) totals[dtype] = totals_of(group);
  return totals;
}

bool is_fact(const PickleValue& value) {
  return value.number() || value.is(PickleKind::text) || value.is(PickleKind::none) || value.is(PickleKind::object);
}

// `args` may be the same in every file of a checkpoint; the first file that has any facts is shown.
Facts facts_of(const CheckpointListing& listing) {
  Facts facts;
  for (const auto& file : listing.files) {
    if (file->torch() == nullptr) continue;
    file->torch()->root().each_member([&](PickleValue key, PickleValue value) {
      const std::string name(key.text());
      if (is_fact(value) && !value.is(PickleKind::object)) facts.emplace_back(name, value);
      value.each_member([&](PickleValue inner, PickleValue member) {
        if (is_fact(member) && inner.is(PickleKind::text))
          facts.emplace_back(name + "." + std::string(inner.text()), member);
      });
    });
    if (!facts.empty()) break;
  }
  if (facts.size() > most_facts) facts.erase(facts.begin() + most_facts, facts.end());
  return facts;
}

Json fact_json(const PickleValue& value) {
  if (value.is(PickleKind::none)) return nullptr;
  if (value.is(PickleKind::boolean)) return *value.integer() != 0;
  if (value.is(PickleKind::integer)) return *value.integer();
  if (value.is(PickleKind::floating)) return json_number(*value.number());
  return value.is(PickleKind::text) ? Json(value.text()) : Json(describe(value));
}

Json totals_json(const Totals& totals) {
  return {{"tensors", totals.tensors}, {"elements", totals.elements}, {"bytes", totals.bytes}};
}

Json document(const ShowOptions& options, const CheckpointListing& listing, const std::vector<Row>& rows) {
  Json json{{"schema", "goldentrace.checkpoint/1"}, {"path", options.trace.string()}, {"kind", listing.kind}};
  json["files"] = Json::array();
  for (const auto& file : listing.files) json["files"].push_back(file->path().string());
  json["facts"] = Json::object();
  for (const auto& [name, value] : facts_of(listing)) json["facts"][name] = fact_json(value);
  json["notes"] = listing.notes;
  json["totals"] = totals_json(totals_of(rows));
  json["dtypes"] = Json::object();
  for (const auto& [dtype, totals] : totals_by_dtype(rows)) json["dtypes"][dtype] = totals_json(totals);
  json["tensors"] = Json::array();
  const std::size_t limit = options.limit > 0 ? static_cast<std::size_t>(options.limit) : rows.size();
  for (const Row& row : std::span(rows).first(std::min(limit, rows.size())))
    json["tensors"].push_back({{"name", row.tensor->name},
                               {"dtype", name(row.tensor->view.dtype)},
                               {"shape", row.tensor->view.shape},
                               {"bytes", byte_count(row.tensor->view)},
                               {"file", row.file->path().filename().string()}});
  return json;
}

void print_facts(const CheckpointListing& listing) {
  TextTable table({"fact", "value"});
  for (const auto& [name, value] : facts_of(listing)) table.add({printable(name), describe(value)});
  if (table.empty()) return;
  table.print(std::cout, stdout_style());
  std::cout << '\n';
}

void print_tensors(const std::vector<Row>& rows, std::int64_t limit, bool with_files) {
  TextTable table(with_files ? std::vector<std::string>{"tensor", "dtype", "shape", "bytes", "file"}
                             : std::vector<std::string>{"tensor", "dtype", "shape", "bytes"});
  const std::size_t shown = limit == 0 ? rows.size() : std::min(rows.size(), static_cast<std::size_t>(limit));
  for (const Row& row : std::span(rows).first(shown)) {
    std::vector<std::string> cells{printable(row.tensor->name), std::string(name(row.tensor->view.dtype)),
                                   shape_text(row.tensor->view.shape), std::to_string(byte_count(row.tensor->view))};
    if (with_files) cells.push_back(row.file->path().filename().string());
    table.add(std::move(cells));
  }
  table.print(std::cout, stdout_style());
  if (shown < rows.size()) std::cout << "… " << rows.size() - shown << " more (--limit 0 shows all)\n";
}

std::string summary(const Totals& totals) {
  return std::to_string(totals.tensors) + " tensors, " + std::to_string(totals.elements) + " elements, " +
         human_bytes(totals.bytes);
}

void print(const ShowOptions& options, const CheckpointListing& listing, const std::vector<Row>& rows) {
  std::cout << printable(options.trace.string()) << ": " << listing.kind << ", " << summary(totals_of(rows)) << '\n';
  const auto dtypes = totals_by_dtype(rows);
  if (dtypes.size() > 1)
    for (const auto& [dtype, totals] : dtypes) std::cout << "  " << dtype << ": " << summary(totals) << '\n';
  std::cout << '\n';
  if (options.filter.empty()) print_facts(listing);
  const std::int64_t otherwise = options.output.verbose || !options.filter.empty() ? 0 : overview_tensors;
  print_tensors(rows, options.limit < 0 ? otherwise : options.limit, listing.files.size() > 1);
}

}  // namespace

void show_checkpoint(const ShowOptions& options) {
  refuse_trace_options(options);
  const CheckpointListing listing = list_checkpoint(options.trace);
  const std::vector<Row> rows = rows_of(listing, options.filter);
  if (!options.filter.empty() && rows.empty())
    throw Error(ErrorCode::not_found, "no tensor matches '" + options.filter + "'",
                {.file = options.trace.string(), .record = {}});
  if (options.output.json) {
    std::cout << document(options, listing, rows).dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
  } else if (options.output.text()) {
    print(options, listing, rows);
  }
  if (options.output.quiet) return;
  for (const std::string& note : listing.notes) std::cerr << "gtrace: note: " << note << '\n';
}

}  // namespace goldentrace
