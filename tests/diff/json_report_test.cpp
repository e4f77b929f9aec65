#include "diff/json_report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "diff/diff.h"
#include "tests/diff/memory_trace.h"
#include "tests/diff/variant_run.h"

namespace goldentrace {
namespace {

using Json = nlohmann::json;
using testing::floats;
using testing::id_of;
using testing::MemoryTrace;

Json json_of(const std::vector<float>& a, const std::vector<float>& b, const DiffOptions& options = {},
             bool with_payload = true) {
  MemoryTrace trace_a;
  MemoryTrace trace_b;
  trace_a.with_payload = trace_b.with_payload = with_payload;
  trace_a.add(id_of("h.0", Role::output), floats(a));
  trace_b.add(id_of("h.0", Role::output), floats(b));
  return Json::parse(to_json(diff(trace_a.view(), trace_b.view(), options)));
}

std::set<std::string> keys(const Json& object) {
  std::set<std::string> result;
  for (const auto& [key, value] : object.items()) result.insert(key);
  return result;
}

void expect_keys(const Json& object, const std::vector<std::string>& wanted) {
  const std::set<std::string> found = keys(object);
  for (const std::string& key : wanted) EXPECT_TRUE(found.contains(key)) << key;
}

TEST(JsonReport, HasTheFieldsOfTheSchema) {
  const Json json = json_of({1, 2}, {1, 3});
  expect_keys(json, {"schema", "verdict", "reason", "gate", "compared", "bitwise_equal", "within_gate", "mismatched",
                     "absorbed", "missing", "extra", "certified_prefix", "first_divergence", "roots", "diagnosis",
                     "replay_command"});
  EXPECT_EQ(json["schema"], "goldentrace.diff/1");
  EXPECT_EQ(json["verdict"], "diverged");
  const Json& first = json["first_divergence"];
  expect_keys(first, {"id", "step", "micro", "rank", "pass", "layer", "call", "role", "index", "op", "origin", "from",
                      "to", "estimated", "metrics"});
  expect_keys(first["metrics"],
              {"max_abs", "max_rel", "rel_frobenius", "max_ulp", "equal_fraction", "worst_index", "a", "b"});
  EXPECT_EQ(first["id"], "0:0:0/forward/h.0#0/output.0");
  EXPECT_EQ(first["metrics"]["max_abs"], 1);
  EXPECT_EQ(first["metrics"]["worst_index"], Json({1}));
  EXPECT_EQ(first["metrics"]["a"], 2);
  EXPECT_EQ(first["metrics"]["b"], 3);
  EXPECT_EQ(first["metrics"]["equal_fraction"], 0.5);
  EXPECT_EQ(first["origin"], "introduced");
  EXPECT_EQ(json["roots"][0], first);
}

TEST(JsonReport, OfEqualTracesHasNoDivergence) {
  const Json json = json_of({1}, {1});
  EXPECT_EQ(json["verdict"], "same");
  EXPECT_TRUE(json["first_divergence"].is_null());
  EXPECT_TRUE(json["replay_command"].is_null());
  EXPECT_TRUE(json["missing"].empty());
}

TEST(JsonReport, MetricsThatSketchesCannotGiveAreNull) {
  const Json json = json_of(std::vector<float>(1000, 1), std::vector<float>(1000, 2), {}, false);
  const Json& first = json["first_divergence"];
  EXPECT_TRUE(first["estimated"]);
  EXPECT_TRUE(first["metrics"]["max_abs"].is_null());
  EXPECT_TRUE(first["metrics"]["a"].is_null());
  EXPECT_NEAR(first["metrics"]["rel_frobenius"].get<double>(), 1, 0.2);
}

TEST(JsonReport, NonFiniteValuesAreWritten) {
  const Json json = json_of({1, std::numeric_limits<float>::quiet_NaN()}, {1, 2});
  EXPECT_EQ(json["first_divergence"]["metrics"]["a"], "NaN");
  EXPECT_EQ(json["first_nonfinite"]["a"]["value"], "NaN");
  EXPECT_EQ(json["first_nonfinite"]["a"]["index"], Json({1}));
  EXPECT_TRUE(json["first_nonfinite"]["b"].is_null());
  const float infinity = std::numeric_limits<float>::infinity();
  const Json signs = json_of({infinity, 1}, {-infinity, 1});
  EXPECT_EQ(signs["first_divergence"]["metrics"]["a"], "Infinity");
  EXPECT_EQ(signs["first_divergence"]["metrics"]["b"], "-Infinity");
  EXPECT_EQ(signs["first_nonfinite"]["b"]["value"], "-Infinity");
}

TEST(JsonReport, RecordsOfAWholeStepHaveNoMicro) {
  MemoryTrace a;
  MemoryTrace b;
  RecordId id = id_of("loss", Role::loss, "0", Pass::update);
  id.micro = no_micro;
  a.add(id, testing::scalar(1));
  b.add(id, testing::scalar(2));
  const Json json = Json::parse(to_json(diff(a.view(), b.view())));
  EXPECT_TRUE(json["first_divergence"]["micro"].is_null());
  EXPECT_EQ(json["first_divergence"]["id"], "0:-:0/update/loss#0/loss.0");
}

TEST(JsonReport, MissingRecordsAreIds) {
  MemoryTrace a;
  MemoryTrace b;
  for (MemoryTrace* trace : {&a, &b}) trace->add(id_of("x", Role::output), floats({1}));
  a.add(id_of("a/b", Role::output), floats({1}));
  const Json json = Json::parse(to_json(diff(a.view(), b.view())));
  EXPECT_EQ(json["missing"], Json({"0:0:0/forward/a%2Fb#0/output.0"}));
  EXPECT_TRUE(json["first_divergence"].is_null());
  EXPECT_EQ(json["reason"], "missing: 1");
}

TEST(JsonReport, HoldsChecksLossesAndTheLinesOfRelations) {
  testing::VariantRunOptions whole, parts;
  parts.micros = 4;
  parts.update_before = 3;
  const testing::VariantRun a(whole);
  const testing::VariantRun b(parts);
  const auto json = nlohmann::json::parse(to_json(diff(a.trace.view(), b.trace.view())));
  EXPECT_EQ(json["relation"]["name"], "accumulation");
  EXPECT_EQ(json["relation"]["used"][0]["form"], "concat(0, micro)");
  EXPECT_EQ(json["relation"]["used"][0]["relation"], "accumulation");
  ASSERT_EQ(json["checks"].size(), 2U);
  EXPECT_EQ(json["checks"][0]["trace"], "A");
  EXPECT_TRUE(json["checks"][0]["findings"].empty());
  EXPECT_TRUE(json["checks"][0]["recomputed_layers"].empty());
  EXPECT_EQ(json["checks"][1]["findings"][0]["kind"], "micro-replica");
  EXPECT_EQ(json["checks"][1]["findings"][0]["id"], "0:3:0/forward/layers.0#0/param.weight");
  EXPECT_EQ(json["losses"]["steps"].size(), 2U);
  EXPECT_EQ(json["losses"]["first_outside"], 0);
  const auto alone = nlohmann::json::parse(to_json(diff(b.trace.view())));
  EXPECT_EQ(alone["verdict"], "diverged");
  EXPECT_TRUE(alone["b"].is_null());
  EXPECT_EQ(alone["first_divergence"]["micro"], 3);
}

TEST(JsonReport, RecomputedLayersAreListed) {
  testing::VariantRunOptions options;
  options.checkpointed = true;
  const testing::VariantRun run(options);
  const auto json = nlohmann::json::parse(to_json(diff(run.trace.view())));
  EXPECT_EQ(json["checks"][0]["recomputed_layers"], (std::vector<std::string>{"layers.1", "layers.2"}));
}

}  // namespace
}  // namespace goldentrace
