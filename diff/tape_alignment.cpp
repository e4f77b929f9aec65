#include "diff/tape_alignment.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "diff/op_text.h"

namespace goldentrace {

namespace {

constexpr std::int32_t other_arguments = 2;
constexpr std::int32_t other_op = 5;
constexpr std::int32_t one_side = 3;
constexpr std::size_t window = 1024;

// Numbers instead of texts, so that the inner loop compares two integers.
struct Token {
  std::int32_t call = 0;  // name, overload and arguments, tensors by their kind alone
  std::int32_t name = 0;  // without the mark of the in-place form
};

std::string_view source_mark(const Tape& tape, ValueIndex index) {
  if (index < 0 || static_cast<std::size_t>(index) >= tape.values.size()) return "<none>";
  const TapeValue& value = tape.values[static_cast<std::size_t>(index)];
  if (value.source != ValueSource::external) return "<made>";
  return value.role == Role::input ? "<input>" : "<param>";
}

void append(const Tape& tape, const Argument& argument, std::string& text) {
  text += ';';
  if (argument.kind == ArgumentKind::tensor) {
    text += source_mark(tape, argument.value);
  } else if (argument.kind == ArgumentKind::list) {
    text += '[';
    for (const Argument& item : argument.items) append(tape, item, text);
    text += ']';
  } else {
    text += argument_text(tape, argument);
  }
}

class Tokens {
 public:
  std::vector<Token> make(const Tape& tape, std::span<const std::int64_t> ops) {
    std::vector<Token> tokens;
    tokens.reserve(ops.size());
    for (const std::int64_t ordinal : ops) tokens.push_back(make(tape, tape.ops[static_cast<std::size_t>(ordinal)]));
    return tokens;
  }

 private:
  Token make(const Tape& tape, const TapeOp& op) {
    std::string call = op.name + "." + op.overload;
    for (const Argument& argument : op.arguments) append(tape, argument, call);
    std::string_view base = op.name;
    if (base.ends_with('_') && !base.ends_with("__")) base.remove_suffix(1);
    return {number(call), number("name " + std::string(base))};
  }

  std::int32_t number(const std::string& text) {
    return numbers_.emplace(text, static_cast<std::int32_t>(numbers_.size())).first->second;
  }

  std::map<std::string, std::int32_t> numbers_;
};

std::int32_t cost(const Token& a, const Token& b) {
  if (a.call == b.call) return 0;
  return a.name == b.name ? other_arguments : other_op;
}

// costs[i][j]: cheapest edit of the tails that start at i and j.
class Table {
 public:
  Table(std::span<const Token> a, std::span<const Token> b)
      : a_(a), b_(b), width_(b.size() + 1), costs_((a.size() + 1) * width_) {
    for (std::size_t i = a.size() + 1; i-- > 0;) {
      for (std::size_t j = b.size() + 1; j-- > 0;) at(i, j) = cheapest(i, j);
    }
  }

  // Steps of the path from (0, 0): both, A alone or B alone.
  template <typename Step>
  void walk(const Step& step) {
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < a_.size() || j < b_.size()) {
      const bool both = i < a_.size() && j < b_.size() && at(i, j) == cost(a_[i], b_[j]) + at(i + 1, j + 1);
      const bool a_alone = !both && i < a_.size() && at(i, j) == one_side + at(i + 1, j);
      if (!step(both || a_alone, both || !a_alone)) return;
      if (both || a_alone) ++i;
      if (both || !a_alone) ++j;
    }
  }

 private:
  std::int32_t& at(std::size_t i, std::size_t j) { return costs_[i * width_ + j]; }

  std::int32_t cheapest(std::size_t i, std::size_t j) {
    if (i == a_.size()) return one_side * static_cast<std::int32_t>(b_.size() - j);
    if (j == b_.size()) return one_side * static_cast<std::int32_t>(a_.size() - i);
    return std::min({cost(a_[i], b_[j]) + at(i + 1, j + 1), one_side + at(i + 1, j), one_side + at(i, j + 1)});
  }

  std::span<const Token> a_;
  std::span<const Token> b_;
  std::size_t width_;
  std::vector<std::int32_t> costs_;
};

// Places of both sides, advanced together.
struct Cursor {
  std::size_t i = 0;
  std::size_t j = 0;
};

// Aligns the next window of both sides; of a window that does not reach the end only the first half is believed.
void align_window(std::span<const Token> a, std::span<const Token> b, Cursor& cursor, std::vector<Cursor>& steps) {
  const auto part_a = a.subspan(cursor.i, std::min(window, a.size() - cursor.i));
  const auto part_b = b.subspan(cursor.j, std::min(window, b.size() - cursor.j));
  const bool reaches_end = cursor.i + part_a.size() == a.size() && cursor.j + part_b.size() == b.size();
  const Cursor start = cursor;
  Table(part_a, part_b).walk([&](bool takes_a, bool takes_b) {
    if (!reaches_end && std::max(cursor.i - start.i, cursor.j - start.j) >= window / 2) return false;
    steps.push_back({takes_a ? cursor.i : a.size(), takes_b ? cursor.j : b.size()});
    cursor.i += takes_a ? 1 : 0;
    cursor.j += takes_b ? 1 : 0;
    return true;
  });
}

std::vector<Cursor> steps_of(std::span<const Token> a, std::span<const Token> b) {
  Cursor cursor;
  std::vector<Cursor> steps;
  while (cursor.i < a.size() || cursor.j < b.size()) {
    if (cursor.i < a.size() && cursor.j < b.size() && a[cursor.i].call == b[cursor.j].call) {
      steps.push_back({cursor.i++, cursor.j++});
    } else {
      align_window(a, b, cursor, steps);
    }
  }
  return steps;
}

}  // namespace

std::vector<OpPair> align_ops(const Tape& a, std::span<const std::int64_t> ops_a, const Tape& b,
                              std::span<const std::int64_t> ops_b) {
  Tokens tokens;
  const std::vector<Token> tokens_a = tokens.make(a, ops_a);
  const std::vector<Token> tokens_b = tokens.make(b, ops_b);
  std::vector<OpPair> pairs;
  for (const Cursor& step : steps_of(tokens_a, tokens_b)) {
    pairs.push_back({step.i < ops_a.size() ? ops_a[step.i] : -1, step.j < ops_b.size() ? ops_b[step.j] : -1});
  }
  return pairs;
}

}  // namespace goldentrace
