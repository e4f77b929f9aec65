#include "diff/code_hints.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "diff/number.h"
#include "diff/op_text.h"

namespace goldentrace {

namespace {

using Texts = std::set<std::string>;

Texts arguments_of(const Tape& tape, const std::string& argument) {
  Texts texts;
  for (const TapeOp& op : tape.ops) {
    for (std::size_t i = 0; i < op.arguments.size(); ++i) {
      if (argument_name(op, i) == argument) texts.insert(argument_text(tape, op.arguments[i]));
    }
  }
  return texts;
}

Texts gelu_forms(const Tape& tape) {
  Texts forms;
  for (const TapeOp& op : tape.ops) {
    const std::string name = short_name(op);
    if (name == "erf" || name == "tanh") forms.insert(name);
    if (name == "sigmoid") forms.insert("quick (sigmoid)");
    if (name == "gelu") forms.insert(arguments_of(tape, "approximate").contains("'tanh'") ? "tanh" : "erf");
  }
  return forms;
}

// "x | y" where each side has one and it is another.
std::optional<std::string> one_against_one(const Texts& a, const Texts& b) {
  if (a.size() != 1 || b.size() != 1 || a == b) return std::nullopt;
  return *a.begin() + " | " + *b.begin();
}

bool multiplies_matrices(const Tape& tape) {
  static const Texts products{"linear",  "matmul", "mm",     "bmm",    "addmm",
                              "baddbmm", "einsum", "conv1d", "conv2d", "conv3d"};
  return std::ranges::any_of(tape.ops, [](const TapeOp& op) { return products.contains(short_name(op)); });
}

std::string entry(const Header& header, const std::string& name) {
  const auto found = header.find(name);
  return found == header.end() ? "(absent)" : found->second;
}

}  // namespace

std::vector<Diagnosis> precision_hints(const Header& a, const Header& b, const Tape& tape) {
  for (const char* setting : {"allow_tf32", "float32_matmul_precision", "fp32_precision.mkldnn.matmul"}) {
    const std::string of_a = entry(a, std::string("torch.") + setting);
    const std::string of_b = entry(b, std::string("torch.") + setting);
    if (of_a == of_b || !multiplies_matrices(tape)) continue;
    return {{"precision", std::string(setting) + " differs: " + of_a + " | " + of_b, false, std::nullopt}};
  }
  return {};
}

std::vector<Diagnosis> code_hints(const Tape& a, const Tape& b, const Divergence& root) {
  std::vector<Diagnosis> result;
  if (const auto text = one_against_one(arguments_of(a, "eps"), arguments_of(b, "eps"))) {
    result.push_back({"epsilon", "norm epsilon " + *text, false, std::nullopt});
  }
  if (const auto text = one_against_one(gelu_forms(a), gelu_forms(b))) {
    const double difference = root.pair.judgement.comparison.max_abs;
    result.push_back({"gelu", "GELU approximation: " + *text + ", max abs " + show(difference, 3), false, difference});
  }
  return result;
}

}  // namespace goldentrace
