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

namespace {

// The first of these entries that the header has and that says something.
std::optional<std::string> setting(const Header& header, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const auto found = header.find(std::string("model.") + name);
    if (found != header.end() && !found->second.empty() && found->second != "none") return found->second;
  }
  return std::nullopt;
}

bool is_norm(const std::string& layer) {
  const std::string part = layer.substr(layer.rfind('.') + 1);
  return part.find("norm") != std::string::npos || part.starts_with("ln_");
}

// "2 query groups of 2 heads", "4 heads without groups".
std::string query_groups(const Header& header) {
  const std::string heads = setting(header, {"num_attention_heads", "n_head"}).value_or("?");
  const std::optional<std::string> groups = setting(header, {"num_query_groups"});
  if (!groups || *groups == heads) return heads + " heads without groups";
  return heads + " heads in " + *groups + (*groups == "1" ? " query group" : " query groups");
}

}  // namespace

std::optional<Diagnosis> epsilon_hint(const Header& a, const Header& b, const RecordId& root) {
  if (root.role != Role::output || !is_norm(root.layer)) return std::nullopt;
  const auto names = {"layernorm_epsilon", "layer_norm_epsilon"};
  const std::optional<std::string> of_a = setting(a, names);
  const std::optional<std::string> of_b = setting(b, names);
  if (!of_a || !of_b || *of_a == *of_b) return std::nullopt;
  return Diagnosis{"epsilon", "norm epsilon " + *of_a + " | " + *of_b, false, std::nullopt};
}

std::optional<Diagnosis> vocabulary_hint(const Header& a, const Header& b, const RecordId& root) {
  const std::optional<std::string> of_a = setting(a, {"vocab_size"});
  const std::optional<std::string> of_b = setting(b, {"vocab_size"});
  if (root.layer != loss_layer || !of_a || !of_b || *of_a == *of_b) return std::nullopt;
  return Diagnosis{"vocabulary", "vocabulary of " + *of_a + " | " + *of_b + " tokens", false, std::nullopt};
}

std::optional<Diagnosis> head_count_hint(const Header& a, const Header& b, const PairReport& root) {
  const std::string part = root.id.layer.substr(root.id.layer.rfind('.') + 1);
  const bool has_heads = part == "scores" || part == "probs" || part == "context";
  if (root.judgement.finding != Finding::shape || !has_heads) return std::nullopt;
  const std::optional<std::string> of_a = setting(a, {"num_attention_heads", "n_head"});
  const std::optional<std::string> of_b = setting(b, {"num_attention_heads", "n_head"});
  if (!of_a || !of_b || *of_a == *of_b) return std::nullopt;
  return Diagnosis{"heads", "attention heads " + *of_a + " | " + *of_b, false, std::nullopt};
}

std::optional<Diagnosis> query_group_hint(const Header& a, const Header& b, const PairReport& root) {
  const std::string part = root.id.layer.substr(root.id.layer.rfind('.') + 1);
  if (root.judgement.finding != Finding::shape || (part != "query_key_value" && part != "c_attn")) return std::nullopt;
  const std::string of_a = query_groups(a);
  const std::string of_b = query_groups(b);
  if (of_a == of_b) return std::nullopt;
  return Diagnosis{"query-groups", "GQA: " + of_a + " | " + of_b, false, std::nullopt};
}

}  // namespace goldentrace
