#include "diff/op_values.h"

#include <charconv>
#include <map>
#include <numeric>
#include <system_error>

#include "diff/op_text.h"
#include "diff/tape_alignment.h"

namespace goldentrace {

namespace {

// Hashes of an op's results by their path, under the op's ordinal.
using OpHashes = std::map<std::int64_t, std::map<std::string, Hash128>>;

// The index of an op output is the ordinal of its op in the tape, then the path inside its results: "4.0".
std::int64_t ordinal_of(const std::string& index) {
  std::int64_t ordinal = -1;
  const auto [end, error] = std::from_chars(index.data(), index.data() + index.size(), ordinal);
  return error == std::errc() && (end == index.data() + index.size() || *end == '.') ? ordinal : -1;
}

bool belongs_to(const RecordId& id, const LayerCall& call) {
  return id.role == Role::op_output && id.step == call.step && id.micro == call.micro && id.rank == call.rank &&
         id.pass == call.pass && id.call == call.call && id.layer == call.layer;
}

OpHashes op_hashes(const TapedCall& taped) {
  OpHashes hashes;
  for (const Record& record : taped.trace.records) {
    if (!belongs_to(record.id, taped.call)) continue;
    const std::int64_t ordinal = ordinal_of(record.id.index);
    if (ordinal < 0) continue;
    hashes[ordinal][record.id.index.substr(std::to_string(ordinal).size())] = record.fingerprint.hash;
  }
  return hashes;
}

std::vector<std::int64_t> all_ops(const Tape& tape) {
  std::vector<std::int64_t> ops(tape.ops.size());
  std::iota(ops.begin(), ops.end(), std::int64_t{0});
  return ops;
}

std::optional<OpPair> first_other_value(const TapedCall& a, const TapedCall& b) {
  const OpHashes hashes_a = op_hashes(a);
  const OpHashes hashes_b = op_hashes(b);
  if (hashes_a.empty() || hashes_b.empty()) return std::nullopt;
  for (const OpPair& pair : align_ops(a.tape, all_ops(a.tape), b.tape, all_ops(b.tape))) {
    const auto of_a = hashes_a.find(pair.a);
    const auto of_b = hashes_b.find(pair.b);
    if (of_a != hashes_a.end() && of_b != hashes_b.end() && of_a->second != of_b->second) return pair;
  }
  return std::nullopt;
}

OpReport report_of(const TapeDifference& difference) {
  const std::int64_t ordinal = difference.ordinal_b >= 0 ? difference.ordinal_b : difference.ordinal_a;
  return {ordinal, difference.op, std::string(name(difference.change)), difference.text};
}

bool is_at_or_before(const TapeDifference& difference, const OpPair& op) {
  return difference.ordinal_b >= 0 ? difference.ordinal_b <= op.b : difference.ordinal_a <= op.a;
}

}  // namespace

std::optional<OpReport> name_op(const TapedCall& a, const TapedCall& b,
                                const std::vector<TapeDifference>& differences) {
  const std::optional<OpPair> other = first_other_value(a, b);
  if (!other) return differences.empty() ? std::nullopt : std::optional(report_of(differences.front()));
  const TapeDifference* nearest = nullptr;
  for (const TapeDifference& each : differences) {
    if (is_at_or_before(each, *other)) nearest = &each;
  }
  if (nearest) return report_of(*nearest);
  const TapeOp& op = b.tape.ops[static_cast<std::size_t>(other->b)];
  return OpReport{other->b, op.name, "value", "first other value: " + call_text(b.tape, op)};
}

}  // namespace goldentrace
