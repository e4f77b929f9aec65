#include "diff/json_report.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "diff/number.h"

namespace goldentrace {

namespace {

using Json = nlohmann::ordered_json;

Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
Json element(double value) { return std::isfinite(value) ? Json(value) : Json(json_word(value)); }

Json optional_text(const std::optional<std::string>& text) { return text ? Json(*text) : Json(nullptr); }
Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json micro_of(const RecordId& id) { return id.micro == no_micro ? Json(nullptr) : Json(id.micro); }

Json ids(const std::vector<RecordId>& records) {
  Json list = Json::array();
  for (const RecordId& id : records) list.push_back(to_string(id));
  return list;
}

Json metrics(const PairReport& pair) {
  const Judgement& judgement = pair.judgement;
  const Comparison& found = judgement.comparison;
  const bool measured = judgement.measured;
  Json json;
  json["max_abs"] = measured ? finite(found.max_abs) : Json(nullptr);
  json["max_rel"] = measured ? finite(found.max_rel) : Json(nullptr);
  json["rel_frobenius"] = measured || judgement.estimated ? finite(found.rel_frobenius) : Json(nullptr);
  json["max_ulp"] = measured ? Json(found.max_ulp) : Json(nullptr);
  const bool counted = measured && found.elements > 0;
  json["equal_fraction"] =
      counted ? Json(static_cast<double>(found.bit_equal) / static_cast<double>(found.elements)) : Json(nullptr);
  json["worst_index"] = judgement.place < 0 ? Json(nullptr) : Json(coordinates(judgement.place, pair.shape_a));
  json["a"] = judgement.place < 0 ? Json(nullptr) : element(judgement.a);
  json["b"] = judgement.place < 0 ? Json(nullptr) : element(judgement.b);
  json["worst_row"] = measured && found.worst_row >= 0 ? Json(found.worst_row) : Json(nullptr);
  json["worst_row_rel"] = measured && found.worst_row >= 0 ? finite(found.worst_row_rel) : Json(nullptr);
  json["cosine"] = measured ? finite(found.cosine) : Json(nullptr);
  json["ratio"] = measured ? finite(found.ratio) : Json(nullptr);
  json["nan"] = {found.nan_a, found.nan_b};
  json["inf"] = {found.inf_a, found.inf_b};
  json["ulp_histogram"] = measured ? Json(found.ulp_histogram) : Json(nullptr);
  return json;
}

Json pair_json(const PairReport& pair) {
  const RecordId& id = pair.id;
  Json json;
  json["id"] = to_string(id);
  json["step"] = id.step;
  json["micro"] = micro_of(id);
  json["rank"] = id.rank;
  json["pass"] = name(id.pass);
  json["layer"] = id.layer;
  json["call"] = id.call;
  json["role"] = name(id.role);
  json["index"] = id.index;
  json["id_b"] = to_string(pair.id_b);
  json["dtype"] = {name(pair.dtype_a), name(pair.dtype_b)};
  json["shape"] = {pair.shape_a, pair.shape_b};
  json["finding"] = name(pair.judgement.finding);
  json["text"] = pair.judgement.text;
  json["gate"] = pair.gate;
  json["form"] = {text_or_null(pair.form_a), text_or_null(pair.form_b)};
  const auto part = [](const std::optional<RecordId>& of) { return of ? Json(to_string(*of)) : Json(nullptr); };
  json["part"] = {part(pair.part_a), part(pair.part_b)};
  json["gate_used"] = finite(pair.judgement.used);
  json["estimated"] = pair.judgement.estimated;
  json["metrics"] = metrics(pair);
  return json;
}

Json pairs_json(const std::vector<PairReport>& pairs) {
  Json list = Json::array();
  for (const PairReport& pair : pairs) list.push_back(pair_json(pair));
  return list;
}

Json ordinal_json(std::int64_t ordinal) { return ordinal < 0 ? Json(nullptr) : Json(ordinal); }

Json tape_json(const std::vector<TapeDifference>& differences) {
  Json list = Json::array();
  for (const TapeDifference& each : differences) {
    list.push_back({{"status", name(each.change)},
                    {"name", each.op},
                    {"ordinal_a", ordinal_json(each.ordinal_a)},
                    {"ordinal_b", ordinal_json(each.ordinal_b)},
                    {"text", each.text}});
  }
  return list;
}

Json divergence_json(const Divergence& root) {
  Json json = pair_json(root.pair);
  json["op"] = nullptr;
  if (root.op) {
    json["op"] = {
        {"ordinal", root.op->ordinal}, {"name", root.op->name}, {"status", root.op->status}, {"text", root.op->text}};
  }
  json["origin"] = name(root.origin);
  json["from"] = optional_text(root.from);
  json["to"] = optional_text(root.to);
  json["explanation"] = root.explanation;
  json["tape"] = tape_json(root.tape);
  json["replay_command"] = text_or_null(root.replay_command);
  return json;
}

Json roots_json(const Report& report) {
  Json list = Json::array();
  for (const Divergence& root : report.roots) list.push_back(divergence_json(root));
  return list;
}

Json diagnosis_json(const Report& report) {
  Json list = Json::array();
  for (const Diagnosis& each : report.diagnosis) {
    list.push_back({{"kind", each.kind},
                    {"text", each.text},
                    {"proved", each.proved},
                    {"value", each.value ? finite(*each.value) : Json(nullptr)}});
  }
  return list;
}

Json nonfinite_json(const std::optional<NonFinite>& found) {
  if (!found) return nullptr;
  const bool placed = found->flat_index >= 0;
  return {{"id", to_string(found->id)},
          {"value", found->value},
          {"index", placed ? Json(coordinates(found->flat_index, found->shape)) : Json(nullptr)}};
}

Json header_json(const Report& report) {
  Json list = Json::array();
  for (const HeaderDifference& each : report.header) {
    list.push_back({{"name", each.name}, {"a", text_or_null(each.a)}, {"b", text_or_null(each.b)}});
  }
  return list;
}

Json relation_json(const RelationReport& relation) {
  if (relation.name.empty()) return nullptr;
  Json left_out = Json::array();
  for (const LeftOutReport& each : relation.left_out) {
    left_out.push_back({{"side", each.side}, {"id", to_string(each.id)}, {"reason", each.reason}});
  }
  Json partial = Json::array();
  for (const PartialReport& each : relation.partial)
    partial.push_back({{"id", to_string(each.id)}, {"text", each.text}});
  Json used = Json::array();
  for (const UsedLine& each : relation.used) {
    used.push_back({{"relation", each.relation},
                    {"line", each.line},
                    {"records", each.records},
                    {"form", each.form},
                    {"a", each.records_a},
                    {"b", each.records_b}});
  }
  return {{"name", relation.name},
          {"chosen", relation.chosen},
          {"used", used},
          {"sides", relation.sides},
          {"left_out", left_out},
          {"partial", partial},
          {"unequal_copies", ids(relation.unequal_copies)},
          {"toml", text_or_null(relation.toml)},
          {"unmatched", relation.unmatched}};
}

Json checks_json(const Report& report) {
  Json list = Json::array();
  for (const CheckedTrace& each : report.checks) {
    Json findings = Json::array();
    for (const FindingReport& found : each.findings) {
      findings.push_back({{"kind", found.kind},
                          {"id", to_string(found.id)},
                          {"reference", to_string(found.reference)},
                          {"text", found.text}});
    }
    list.push_back({{"trace", text_or_null(each.trace)},
                    {"replicas", each.replicas},
                    {"recomputed", each.recomputed},
                    {"recomputed_layers", each.recomputed_layers},
                    {"carried", each.carried},
                    {"collectives", each.collectives},
                    {"findings", findings}});
  }
  return list;
}

Json losses_json(const LossCurve& curve) {
  Json points = Json::array();
  const auto loss = [](const std::optional<double>& value) { return value ? element(*value) : Json(nullptr); };
  for (const LossPoint& each : curve.points)
    points.push_back({{"step", each.step}, {"a", loss(each.a)}, {"b", loss(each.b)}, {"within", each.within}});
  return {{"steps", points},
          {"first_outside", curve.first_outside ? Json(*curve.first_outside) : Json(nullptr)},
          {"inside", curve.inside ? Json(to_string(*curve.inside)) : Json(nullptr)}};
}

Json model_json(const ModelQuality& model) {
  return {{"log_likelihood", finite(model.log_likelihood)},
          {"perplexity", finite(model.perplexity)},
          {"accuracy", finite(model.accuracy)},
          {"last_token_accuracy", finite(model.last_token_accuracy)},
          {"document_perplexity", finite(model.document_perplexity)}};
}

Json quality_json(const std::optional<QualityReport>& report) {
  if (!report) return nullptr;
  const QualityFigures& found = report->figures;
  const bool targets = found.targets > 0;
  Json gates = Json::array();
  for (const QualityGate& gate : report->gates) {
    gates.push_back(
        {{"name", gate.name}, {"limit", gate.limit}, {"value", finite(gate.value)}, {"passes", gate.passes}});
  }
  return {{"layers", report->layers},
          {"tensors", report->tensors},
          {"positions", found.positions},
          {"columns", found.columns},
          {"nonfinite_positions", found.nonfinite_positions},
          {"kl", finite(found.kl)},
          {"max_kl", finite(found.max_kl)},
          {"top1_agreement", finite(found.top1)},
          {"equal_fraction", finite(found.equal_fraction)},
          {"max_abs", finite(found.max_abs)},
          {"rel_frobenius", finite(found.rel_frobenius)},
          {"ulp_histogram", found.ulp_histogram},
          {"targets", found.targets},
          {"documents", found.documents},
          {"targets_from", text_or_null(report->targets)},
          {"a", targets ? model_json(found.a) : Json(nullptr)},
          {"b", targets ? model_json(found.b) : Json(nullptr)},
          {"gates", gates}};
}

void add_findings(const Report& report, Json& json) {
  json["first_divergence"] = report.roots.empty() ? Json(nullptr) : divergence_json(report.roots.front());
  json["roots"] = roots_json(report);
  json["diagnosis"] = diagnosis_json(report);
  json["replay_command"] = report.roots.empty() ? Json(nullptr) : text_or_null(report.roots.front().replay_command);
}

}  // namespace

std::string to_json(const Report& report) {
  Json json;
  json["schema"] = "goldentrace.diff/1";
  json["verdict"] = name(report.verdict);
  json["reason"] = report.reason;
  json["gate"] = report.gate;
  json["compared"] = report.compared;
  json["bitwise_equal"] = report.bitwise_equal;
  json["within_gate"] = report.within_gate;
  json["mismatched"] = report.mismatched;
  json["absorbed"] = report.absorbed;
  json["missing"] = ids(report.missing);
  json["extra"] = ids(report.extra);
  json["certified_prefix"] = report.certified_prefix;
  add_findings(report, json);
  json["a"] = report.a.string();
  json["b"] = text_or_null(report.b.string());
  json["checks"] = checks_json(report);
  json["losses"] = losses_json(report.losses);
  json["nan"] = report.nan == NanPolicy::same ? "same" : "differ";
  json["followers"] = report.followers;
  json["passed_through"] = ids(report.passed_through);
  json["relation"] = relation_json(report.relation);
  json["first_unequal"] = report.first_unequal ? Json(to_string(*report.first_unequal)) : Json(nullptr);
  json["quality"] = quality_json(report.quality);
  json["layers"] = report.layers;
  json["layers_certified"] = report.layers_certified;
  json["layers_left_out"] = report.layers_left_out;
  json["notes"] = report.notes;
  json["header"] = header_json(report);
  json["absorbed_records"] = pairs_json(report.absorbed_records);
  json["mismatches"] = pairs_json(report.mismatches);
  json["closest"] = pairs_json(report.closest);
  json["first_nonfinite"] = {{"a", nonfinite_json(report.nonfinite_a)}, {"b", nonfinite_json(report.nonfinite_b)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace goldentrace
