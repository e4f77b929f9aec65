// The result of a diff as plain data; text_report.h and json_report.h show it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diff/gate.h"
#include "diff/quality.h"
#include "diff/tape_diff.h"
#include "traces/record.h"

namespace goldentrace {

enum class Verdict { same, diverged, incomparable };
enum class Origin {
  introduced,  // the inputs of the layer agree, its output does not
  glue,        // made by (root) or an enclosing label, differs where it enters a layer
  weight,      // a stored value differs before any op ran on it
  random,      // the random state at the layer's entry differs, and its tape draws random numbers
  inherited,   // it depends on records that were not compared and that are not equal
};
std::string_view name(Verdict verdict);
std::string_view name(Origin origin);

struct HeaderDifference {
  std::string name;
  std::string a;  // empty: absent
  std::string b;
};

// One pair that is not bit-equal.
struct PairReport {
  RecordId id;    // A's
  RecordId id_b;  // B's: the index may be another name
  DType dtype_a = DType::float32, dtype_b = DType::float32;
  Shape shape_a, shape_b;
  Judgement judgement;
  std::string gate;            // as it applied to this pair
  std::string form_a, form_b;  // what a relation made of the recorded tensors; empty: they stand as they are
  std::optional<RecordId> part_a, part_b;  // of several, the one that holds the element that is shown
};

// The op inside the layer at which the two runs part.
struct OpReport {
  std::int64_t ordinal = 0;  // in B's tape; in A's where only A has the op
  std::string name;          // "aten::layer_norm"
  std::string status;        // name of the TapeChange; "value" where the code is the same and its result is not
  std::string text;          // "layer_norm eps 1e-05 | 1e-06"
};

struct Divergence {
  PairReport pair;
  Origin origin = Origin::introduced;
  std::optional<std::string> from;  // glue: the last agreeing layer
  std::optional<std::string> to;    // glue: the layer that the tensor enters
  std::optional<OpReport> op;
  // Differences of the two tapes that this record depends on, in execution order.
  std::vector<TapeDifference> tape;
  std::string explanation;     // one sentence on the origin
  std::string replay_command;  // runs the layer again from B's trace
};

struct Diagnosis {
  std::string kind;  // "ratio", "sign-of-zero", "permutation" …
  std::string text;
  bool proved = false;
  std::optional<double> value;
};

// A record that the relation says has no counterpart: never compared, always listed.
struct LeftOutReport {
  std::string side;  // "A", "B"
  RecordId id;
  std::string reason;
};

// A pair of which the relation compares a part.
struct PartialReport {
  RecordId id;
  std::string text;
};

// A line of a relation that took records.
struct UsedLine {
  std::string relation;
  int line = 0;
  std::string records;  // "* input, output"
  std::string form;     // "concat(0, micro)"
  std::int64_t records_a = 0, records_b = 0;
};

struct RelationReport {
  std::string name;    // "megatron-hf", "accumulation + checkpointing"; empty: identity
  std::string chosen;  // "asked for", "chosen from the headers"
  std::string sides;   // "A is megatron, B is hf"
  std::vector<UsedLine> used;
  std::vector<LeftOutReport> left_out;
  std::vector<PartialReport> partial;
  std::vector<RecordId> unequal_copies;  // of what it calls replicated
  std::string toml;                      // an inferred one, for review
  std::vector<std::string> unmatched;    // what inference found no counterpart for
};

// One limit that was asked for.
struct QualityGate {
  std::string name;  // "max-kl"
  double limit = 0;
  double value = 0;
  bool passes = false;
};

struct QualityReport {
  std::string layers;  // whose outputs are the logits: "logits"
  std::int64_t tensors = 0;
  std::string targets;  // "recorded labels", a file; empty: none
  QualityFigures figures;
  std::vector<QualityGate> gates;
};

struct NonFinite {
  RecordId id;
  std::string value;             // "NaN", "Infinity" (of either sign without payload), "-Infinity"
  std::int64_t flat_index = -1;  // -1: no payload to say where
  Shape shape;
};

// What a trace alone shows to be wrong.
struct FindingReport {
  std::string kind;  // TraceFinding::kind
  RecordId id, reference;
  std::string text;
};

struct CheckedTrace {
  std::string trace;                                                        // "A", "B"; empty: the only one
  std::int64_t replicas = 0, recomputed = 0, carried = 0, collectives = 0;  // records that were checked
  std::vector<std::string> recomputed_layers;                               // TraceChecks::recomputed_layers
  std::vector<FindingReport> findings;
};

struct LossPoint {
  std::int64_t step = 0;
  std::optional<double> a, b;  // empty: only the other run has the step
  bool within = true;          // of the gate of the loss
};

// The losses of both runs, step by step.
struct LossCurve {
  std::vector<LossPoint> points;
  std::optional<std::int64_t> first_outside;  // the first step whose losses are out of their gate
  std::optional<RecordId> inside;             // where that step goes wrong
};

struct Report {
  std::filesystem::path a, b;  // b empty: only the checks inside a
  Verdict verdict = Verdict::same;
  std::string reason;
  std::string gate;  // as it was asked for
  NanPolicy nan = NanPolicy::same;
  RelationReport relation;
  std::optional<QualityReport> quality;

  // compared = bitwise_equal + within_gate + mismatched + absorbed.
  std::int64_t compared = 0;
  std::int64_t bitwise_equal = 0;
  std::int64_t within_gate = 0;
  std::int64_t mismatched = 0;
  std::int64_t absorbed = 0;
  // Compared records before the first mismatch or missing record of A's order.
  std::int64_t certified_prefix = 0;
  // Mismatched records that follow from the first divergence.
  std::int64_t followers = 0;
  // The first compared record of A's order that is not bit-equal, within its gate or not.
  std::optional<RecordId> first_unequal;
  // Layers of A of which a record was compared or is missing, and those of them that have nothing that differs (unless
  // it is absorbed) or is missing. Then the layers of which a relation leaves out everything.
  std::int64_t layers = 0;
  std::int64_t layers_certified = 0;
  std::int64_t layers_left_out = 0;

  std::vector<RecordId> missing;  // in A only
  std::vector<RecordId> extra;    // in B only
  // In one trace only, but an input of the same call handed on: compared as that input.
  std::vector<RecordId> passed_through;
  std::vector<HeaderDifference> header;
  std::vector<std::string> notes;

  std::vector<Divergence> roots;  // the first one is the first divergence
  std::vector<Diagnosis> diagnosis;
  std::vector<PairReport> absorbed_records;
  std::vector<PairReport> mismatches;  // the first ones in A's order
  std::vector<PairReport> closest;     // within the gate, those that used most of it
  std::optional<NonFinite> nonfinite_a, nonfinite_b;
  std::vector<CheckedTrace> checks;
  LossCurve losses;
};

// 0 same, 1 diverged, 2 incomparable.
int exit_code(const Report& report);

}  // namespace goldentrace
