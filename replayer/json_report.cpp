#include "replayer/json_report.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "diff/number.h"

namespace goldentrace {
namespace {

using Json = nlohmann::ordered_json;

Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
Json element(double value) { return std::isfinite(value) ? Json(value) : Json(json_word(value)); }
Json micro(std::int64_t number) { return number == no_micro ? Json(nullptr) : Json(number); }
Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json metrics(const ReplayedTensor& tensor) {
  const Judgement& judgement = tensor.judgement;
  const Comparison& found = judgement.comparison;
  const bool measured = judgement.measured;
  const bool placed = judgement.place >= 0;
  const bool counted = measured && found.elements > 0;
  Json json;
  json["max_abs"] = measured ? finite(found.max_abs) : Json(nullptr);
  json["max_rel"] = measured ? finite(found.max_rel) : Json(nullptr);
  json["rel_frobenius"] = measured || judgement.estimated ? finite(found.rel_frobenius) : Json(nullptr);
  json["max_ulp"] = measured ? Json(found.max_ulp) : Json(nullptr);
  json["equal_fraction"] =
      counted ? Json(static_cast<double>(found.bit_equal) / static_cast<double>(found.elements)) : Json(nullptr);
  json["worst_index"] = placed ? Json(coordinates(judgement.place, tensor.shape)) : Json(nullptr);
  json["recorded"] = placed ? element(judgement.a) : Json(nullptr);
  json["replayed"] = placed ? element(judgement.b) : Json(nullptr);
  return json;
}

Json tensor_json(const ReplayedTensor& tensor) {
  const RecordId& id = tensor.id;
  Json json;
  json["id"] = to_string(id);
  json["pass"] = name(id.pass);
  json["role"] = name(id.role);
  json["index"] = id.index;
  json["position"] = tensor.position;
  json["verdict"] = name(tensor.verdict);
  json["reason"] = text_or_null(tensor.reason.empty() ? tensor.judgement.text : tensor.reason);
  json["gate"] = tensor.gate;
  json["gate_used"] = finite(tensor.judgement.used);
  json["recorded_dtype"] = name(tensor.recorded_dtype);
  json["replayed_dtype"] = name(tensor.replayed_dtype);
  json["shape"] = tensor.shape;
  json["estimated"] = tensor.judgement.estimated;
  json["metrics"] = metrics(tensor);
  return json;
}

Json call_json(const ReplayedCall& call) {
  Json json;
  json["step"] = call.step;
  json["micro"] = micro(call.micro);
  json["rank"] = call.rank;
  json["pass"] = name(call.pass);
  json["layer"] = call.layer;
  json["call"] = call.call;
  json["verdict"] = name(call.verdict);
  json["reason"] = text_or_null(call.reason);
  json["reproduced"] = call.reproduced ? Json(*call.reproduced) : Json(nullptr);
  json["notes"] = call.notes;
  json["records"] = Json::array();
  for (const ReplayedTensor& tensor : call.tensors) json["records"].push_back(tensor_json(tensor));
  return json;
}

Json left_json(const NotReplayed& left) {
  return {{"layer", left.layer}, {"pass", name(left.pass)}, {"calls", left.calls}, {"reason", left.reason}};
}

}  // namespace

std::string json_report(const ReplayReport& report) {
  Json json;
  json["schema"] = "goldentrace.replay/1";
  json["verdict"] = name(report.verdict);
  json["trace"] = report.trace.string();
  json["inputs"] = text_or_null(report.inputs.string());
  json["tape_from"] = text_or_null(report.tape_from.string());
  json["gate"] = report.gate;
  json["threads"] = report.threads;
  json["notes"] = report.notes;
  json["calls"] = Json::array();
  for (const ReplayedCall& call : report.calls) json["calls"].push_back(call_json(call));
  json["not_replayed"] = Json::array();
  for (const NotReplayed& left : report.not_replayed) json["not_replayed"].push_back(left_json(left));
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace goldentrace
