#include "diff/tape_diff.h"

#include <algorithm>
#include <array>

#include "diff/op_text.h"
#include "diff/operand_map.h"
#include "diff/tape_alignment.h"
#include "diff/tape_slice.h"

namespace goldentrace {

namespace {

std::vector<std::int64_t> chosen_ops(const Tape& tape, TapeScope scope) {
  std::vector<std::int64_t> ops;
  for (std::size_t i = 0; i < tape.ops.size(); ++i) {
    const std::string& label = tape.ops[i].label;
    const bool own = label.empty() || label == tape.layer;
    if (scope == TapeScope::all || own) ops.push_back(static_cast<std::int64_t>(i));
  }
  return ops;
}

std::string mode_text(const TapeOp& op) {
  std::string text = op.autocast == DType::none ? "" : "autocast " + std::string(name(op.autocast)) + " ";
  text += op.grad_mode ? "grad" : "no grad";
  return text + (op.inference_mode ? " inference" : "");
}

class TapeComparison {
 public:
  TapeComparison(const Tape& a, const Tape& b, std::vector<OpPair> pairs)
      : a_(a), b_(b), pairs_(std::move(pairs)), operands_(a, b, pairs_) {}

  std::vector<TapeDifference> run() {
    for (const OpPair& pair : pairs_) {
      if (pair.a < 0 || pair.b < 0) {
        one_sided(pair);
      } else {
        compare(pair);
      }
    }
    return std::move(differences_);
  }

 private:
  const TapeOp& op_a(const OpPair& pair) const { return a_.ops[static_cast<std::size_t>(pair.a)]; }
  const TapeOp& op_b(const OpPair& pair) const { return b_.ops[static_cast<std::size_t>(pair.b)]; }

  void add(TapeChange change, const OpPair& pair, std::string text) {
    TapeDifference difference;
    difference.change = change;
    difference.ordinal_a = pair.a;
    difference.ordinal_b = pair.b;
    difference.op = pair.a >= 0 ? op_a(pair).name : op_b(pair).name;
    difference.text = std::move(text);
    differences_.push_back(std::move(difference));
  }

  void one_sided(const OpPair& pair) {
    if (pair.a >= 0) {
      add(TapeChange::only_in_a, pair, "only in A: " + call_text(a_, op_a(pair)));
    } else {
      add(TapeChange::only_in_b, pair, "only in B: " + call_text(b_, op_b(pair)));
    }
  }

  void compare(const OpPair& pair) {
    const TapeOp& a = op_a(pair);
    const TapeOp& b = op_b(pair);
    if (a.name != b.name || a.overload != b.overload) {
      return add(TapeChange::other_op, pair, call_text(a_, a) + " | " + call_text(b_, b));
    }
    const std::size_t count = std::max(a.arguments.size(), b.arguments.size());
    static const Argument absent;
    for (std::size_t i = 0; i < count; ++i) {
      compare_argument(pair, argument_name(a, i), i < a.arguments.size() ? a.arguments[i] : absent,
                       i < b.arguments.size() ? b.arguments[i] : absent);
    }
    if (mode_text(a) != mode_text(b)) {
      add(TapeChange::mode, pair, short_name(a) + " run with " + mode_text(a) + " | " + mode_text(b));
    }
  }

  void compare_argument(const OpPair& pair, const std::string& argument, const Argument& a, const Argument& b) {
    const bool tensors = a.kind == ArgumentKind::tensor && b.kind == ArgumentKind::tensor;
    const TapeChange change = tensors ? TapeChange::operand : TapeChange::argument;
    if (same(a, b)) return;
    add(change, pair,
        short_name(op_a(pair)) + " " + argument + " " + argument_text(a_, a) + " | " + argument_text(b_, b));
  }

  bool same(const Argument& a, const Argument& b) const {
    if (a.kind != b.kind || a.items.size() != b.items.size()) return false;
    if (a.kind == ArgumentKind::tensor) return operands_.same(a.value, b.value);
    if (a.kind == ArgumentKind::list) {
      return std::ranges::equal(a.items, b.items, [this](const Argument& x, const Argument& y) { return same(x, y); });
    }
    return argument_text(a_, a) == argument_text(b_, b) && a.dtype == b.dtype;
  }

  const Tape& a_;
  const Tape& b_;
  std::vector<OpPair> pairs_;
  OperandMap operands_;
  std::vector<TapeDifference> differences_;
};

void mark_upstream(const Tape& a, const Tape& b, std::int32_t output, std::vector<TapeDifference>& differences) {
  const std::vector<bool> needed_a = ops_behind(a, output);
  const std::vector<bool> needed_b = ops_behind(b, output);
  const auto needed = [](const std::vector<bool>& ops, std::int64_t ordinal) {
    return ordinal >= 0 && ops[static_cast<std::size_t>(ordinal)];
  };
  for (TapeDifference& each : differences) {
    each.upstream = needed(needed_a, each.ordinal_a) || needed(needed_b, each.ordinal_b);
  }
}

}  // namespace

std::string_view name(TapeChange change) {
  constexpr std::array<std::string_view, 6> names = {"only_in_a", "only_in_b", "other_op",
                                                     "argument",  "operand",   "mode"};
  return names.at(static_cast<std::size_t>(change));
}

std::vector<TapeDifference> diff_tapes(const Tape& a, const Tape& b, const TapeDiffOptions& options) {
  const std::vector<std::int64_t> ops_a = chosen_ops(a, options.scope);
  const std::vector<std::int64_t> ops_b = chosen_ops(b, options.scope);
  std::vector<TapeDifference> differences = TapeComparison(a, b, align_ops(a, ops_a, b, ops_b)).run();
  if (options.output) mark_upstream(a, b, *options.output, differences);
  return differences;
}

}  // namespace goldentrace
