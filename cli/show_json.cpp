#include "cli/show_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/layer_summary.h"
#include "cli/number.h"
#include "cli/recording_facts.h"
#include "cli/segment_list.h"
#include "cli/tensor_text.h"
#include "traces/hash.h"

namespace goldentrace {
namespace {

using Json = nlohmann::ordered_json;

Json document(const TraceReader& trace) {
  Json json;
  json["schema"] = "goldentrace.show/1";
  json["file"] = trace.path().string();
  json["being_rewritten"] = trace.being_rewritten();
  return json;
}

Json statistics_json(const Statistics& statistics) {
  return {{"min", json_number(statistics.min)},   {"max", json_number(statistics.max)},
          {"mean", json_number(statistics.mean)}, {"l2", json_number(statistics.l2)},
          {"nan", statistics.nan_count},          {"inf", statistics.inf_count},
          {"zero", statistics.zero_count}};
}

Json micro_json(std::int64_t micro) { return micro == no_micro ? Json(nullptr) : Json(micro); }

Json producers_json(const TraceReader& trace, const Record& record) {
  Json ids = Json::array();
  for (const std::int64_t row : record.producers) ids.push_back(to_string(trace.records()[std::size_t(row)].id));
  return ids;
}

Json summary_json(const TraceReader& trace, std::int64_t row) {
  const Record& record = trace.records()[static_cast<std::size_t>(row)];
  const RecordId& id = record.id;
  return {{"id", to_string(id)},
          {"step", id.step},
          {"micro", micro_json(id.micro)},
          {"rank", id.rank},
          {"pass", name(id.pass)},
          {"layer", id.layer},
          {"call", id.call},
          {"role", name(id.role)},
          {"index", id.index},
          {"position", record.position},
          {"dtype", name(record.dtype)},
          {"shape", record.shape},
          {"hash", to_hex(record.fingerprint.hash)},
          {"payload", trace.has_payload(row)},
          {"external", record.external},
          {"declared", record.declared},
          {"dropped", record.dropped},
          {"statistics", statistics_json(record.fingerprint.statistics)}};
}

Json records_json(const TraceReader& trace, const std::vector<std::int64_t>& rows, std::int64_t limit) {
  Json records = Json::array();
  for (const std::int64_t row : rows) {
    if (limit > 0 && static_cast<std::int64_t>(records.size()) >= limit) break;
    records.push_back(summary_json(trace, row));
  }
  return records;
}

Json layers_json(const TraceReader& trace) {
  Json layers = Json::array();
  for (const LayerSummary& line : summarize_layers(trace)) {
    layers.push_back({{"layer", line.layer},
                      {"pass", name(line.pass)},
                      {"calls", line.calls},
                      {"inputs", line.inputs},
                      {"outputs", line.outputs},
                      {"params", line.params},
                      {"replayable", name(line.replayable)},
                      {"note", line.note}});
  }
  return layers;
}

Json losses_json(const TraceReader& trace) {
  Json list = Json::array();
  for (const LossValue& loss : losses(trace)) {
    list.push_back({{"step", loss.step},
                    {"micro", loss.micro ? Json(*loss.micro) : Json(nullptr)},
                    {"value", json_number(loss.value)}});
  }
  return list;
}

Json call_json(const TraceReader& trace, std::int64_t row) {
  const LayerCall& call = trace.calls()[static_cast<std::size_t>(row)];
  const auto number = [](std::int64_t value) { return value < 0 ? Json(nullptr) : Json(value); };
  return {{"step", call.step},         {"micro", micro_json(call.micro)},
          {"rank", call.rank},         {"pass", name(call.pass)},
          {"layer", call.layer},       {"call", call.call},
          {"tape", number(call.tape)}, {"replayable", name(call.replayable)},
          {"note", call.note}};
}

Json calls_json(const TraceReader& trace, const std::vector<std::int64_t>& rows) {
  Json calls = Json::array();
  for (const std::int64_t row : rows) calls.push_back(call_json(trace, row));
  return calls;
}

Json element_json(const TensorView& tensor, std::int64_t index) {
  switch (dtype_class(tensor.dtype)) {
    case DTypeClass::floating:
      return json_number(element_as_double(tensor, index));
    case DTypeClass::boolean:
    case DTypeClass::integer:
      return Json::parse(element_text(tensor, index));
    default:
      return element_text(tensor, index);
  }
}

Json values_json(const TraceReader& trace, std::int64_t row, std::int64_t limit) {
  const Record& record = trace.records()[static_cast<std::size_t>(row)];
  if (!trace.has_payload(row) || record.dtype == DType::none) return nullptr;
  const std::vector<std::byte> bytes = trace.payload(row);
  const TensorView tensor{record.dtype, record.shape, bytes};
  const std::int64_t all = element_count(record.shape);
  const std::int64_t count = limit > 0 ? std::min(limit, all) : all;
  Json values = Json::array();
  for (std::int64_t i = 0; i < count; ++i) values.push_back(element_json(tensor, i));
  return values;
}

}  // namespace

Json overview_json(const TraceReader& trace, const std::vector<std::int64_t>& rows, std::int64_t limit) {
  Json json = document(trace);
  json["header"] = trace.header();
  json["recording"] = recording_json(trace.header());
  json["segments"] = Json::array();
  for (const SegmentFile& segment : segment_files(trace.path())) {
    json["segments"].push_back({{"file", segment.file.string()}, {"bytes", segment.bytes}});
  }
  json["layers"] = layers_json(trace);
  json["losses"] = losses_json(trace);
  json["record_count"] = rows.size();
  json["records"] = records_json(trace, rows, limit);
  return json;
}

Json layer_json(const TraceReader& trace, const LayerView& view) {
  Json json = document(trace);
  json["calls"] = calls_json(trace, view.calls);
  json["records"] = records_json(trace, view.records, 0);
  return json;
}

Json tapes_json(const TraceReader& trace, const std::vector<LayerTape>& tapes) {
  Json json = document(trace);
  json["tapes"] = Json::array();
  for (const LayerTape& entry : tapes) {
    const Tape tape = trace.tape(entry.tape);
    Json ops = Json::array();
    for (const TapeOp& op : tape.ops) {
      ops.push_back({{"name", op.name}, {"overload", op.overload}, {"label", op.label}, {"text", describe(tape, op)}});
    }
    json["tapes"].push_back({{"tape", entry.tape},
                             {"calls", calls_json(trace, entry.calls)},
                             {"ops", std::move(ops)},
                             {"unsupported", tape.unsupported},
                             {"text", to_text(tape)}});
  }
  return json;
}

Json record_json(const TraceReader& trace, std::int64_t row, std::int64_t limit) {
  Json json = document(trace);
  json["record"] = summary_json(trace, row);
  json["record"]["producers"] = producers_json(trace, trace.records()[static_cast<std::size_t>(row)]);
  json["record"]["values"] = values_json(trace, row, limit);
  return json;
}

}  // namespace goldentrace
