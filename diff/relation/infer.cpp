#include "diff/relation/infer.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "diff/number.h"
#include "diff/relation/label_match.h"
#include "diff/relation/weight_match.h"
#include "traces/error.h"

namespace goldentrace {

namespace {

// One [[pair]] to be written.
struct Line {
  std::string a, b, roles, index_a, index_b, form_a, form_b, remark;

  auto operator<=>(const Line&) const = default;
};

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return result + "\"";
}

// The number of a block becomes {i}, in the label and where an index or a form repeats the label's block.
std::string general(std::string text, const std::string& block) {
  const std::size_t dot = block.rfind('.');
  const std::string start = dot == std::string::npos ? "" : block.substr(0, dot + 1);
  for (std::size_t at = text.find(block); at != std::string::npos; at = text.find(block, at + 1)) {
    const std::size_t end = at + block.size();
    constexpr std::string_view before = ".( ";
    constexpr std::string_view behind = ".,)";
    const bool whole = (at == 0 || before.find(text[at - 1]) != std::string_view::npos) &&
                       (end == text.size() || behind.find(text[end]) != std::string_view::npos);
    if (whole) text.replace(at, block.size(), start + "{i}");
  }
  return text;
}

std::string number_of(const std::string& block) { return block.substr(block.rfind('.') + 1); }

// Which of the two traces a form is looked for on: the other one's program may add biases later.
enum class Sides { given, exchanged };

class Writer {
 public:
  explicit Writer(Sides sides) : sides_(sides) {}

  void add(Line line) {
    if (sides_ == Sides::exchanged) {
      std::swap(line.a, line.b);
      std::swap(line.index_a, line.index_b);
      std::swap(line.form_a, line.form_b);
    }
    lines_.push_back(std::move(line));
  }

  // Lines that hold for every block alike are written once.
  std::string write(const std::string& head) const {
    std::map<Line, std::set<std::string>> numbers;     // of a general line
    std::map<std::string, std::set<std::string>> all;  // of a general label of a
    std::map<Line, std::string> remarks;               // of a general line, with their blocks
    for (const Line& line : lines_) {
      if (!is_numbered(line)) continue;
      const std::string block = block_of(line.a);
      const Line wide = generalised(line);
      numbers[wide].insert(number_of(block));
      all[wide.a].insert(number_of(block));
      if (!line.remark.empty()) remarks[wide] += "# " + block + ": " + line.remark + "\n";
    }
    std::string text = head;
    std::set<Line> written;
    for (const Line& line : lines_) {
      const Line wide = is_numbered(line) ? generalised(line) : line;
      const bool once =
          is_numbered(line) && numbers.at(wide) == all.at(wide.a) && numbers.at(wide).size() > 1 && is_straight(wide);
      if (!written.insert(once ? wide : line).second) continue;
      text += once ? text_of(wide, remarks[wide]) : text_of(line, line.remark.empty() ? "" : "# " + line.remark + "\n");
    }
    return text;
  }

 private:
  static bool is_numbered(const Line& line) {
    const std::string a = block_of(line.a);
    return !a.empty() && !block_of(line.b).empty() && number_of(a) == number_of(block_of(line.b));
  }

  static Line generalised(const Line& line) {
    const std::string a = block_of(line.a);
    const std::string b = block_of(line.b);
    Line wide = line;
    wide.a = general(line.a, a);
    wide.b = general(line.b, b);
    wide.index_a = general(line.index_a, a);
    wide.index_b = general(line.index_b, b);
    wide.form_a = general(line.form_a, a);
    wide.form_b = general(line.form_b, b);
    wide.remark.clear();
    return wide;
  }

  // No line of the same label and index says something else for one of the blocks.
  bool is_straight(const Line& wide) const {
    return std::ranges::none_of(lines_, [&](const Line& line) {
      const std::string block = block_of(line.a);
      if (block.empty() || general(line.a, block) != wide.a || line.roles != wide.roles) return false;
      if (general(line.index_a, block) != wide.index_a) return false;
      return !is_numbered(line) || generalised(line) != wide;
    });
  }

  static std::string text_of(const Line& line, const std::string& remarks) {
    std::string text = "\n[[pair]]\n" + remarks;
    text += "a = " + quoted(line.a) + "\nb = " + quoted(line.b) + "\nrole = [" + line.roles + "]\n";
    if (!line.index_a.empty())
      text += "index_a = " + quoted(line.index_a) + "\nindex_b = " + quoted(line.index_b) + "\n";
    if (line.form_a != "identity" && !line.form_a.empty()) text += "form_a = " + quoted(line.form_a) + "\n";
    if (line.form_b != "identity" && !line.form_b.empty()) text += "form_b = " + quoted(line.form_b) + "\n";
    return text;
  }

  Sides sides_;
  std::vector<Line> lines_;
};

class Inference {
 public:
  Inference(const TraceView& a, const TraceView& b, Sides sides)
      : a_(a),
        b_(b),
        name_a_(sides == Sides::given ? "A" : "B"),
        name_b_(sides == Sides::given ? "B" : "A"),
        weights_(match_weights(a, b)),
        writer_(sides) {
    if (weights_.matches.empty()) {
      throw Error(ErrorCode::incomparable, "no relation can be inferred: no weight of " + a.path.string() +
                                               " has a counterpart in " + b.path.string() + " (" +
                                               counted(static_cast<std::int64_t>(weights_.a.size()), "weight") +
                                               " and " + std::to_string(weights_.b.size()) + ")");
    }
    labels_ = match_labels(a, b, weights_);
  }

  InferredRelation run() {
    for (const LabelMatch& pair : labels_.pairs) add_label(pair);
    for (const WeightMatch& match : weights_.matches) add_weight(match);
    add_unmatched();
    result_.text = writer_.write(head());
    return std::move(result_);
  }

 private:
  static const RecordId& id(const TraceView& trace, std::int64_t row) {
    return trace.records[static_cast<std::size_t>(row)].id;
  }

  std::string head() const {
    return "# Inferred by content: " + std::to_string(result_.exact) + " weights of equal hash, " +
           std::to_string(result_.close) + " near ones. Review it, and use it with --relation FILE.\n" +
           "relation = \"inferred\"\n";
  }

  void add_label(const LabelMatch& pair) {
    if (pair.output_form) {
      add_activation({pair.a, pair.b, "output", "", "", *pair.output_form, "", ""});
    } else {
      writer_.add({pair.a, pair.b, R"("output", "grad_output")", "", "", "", "",
                   "paired by its weights; no form makes their outputs alike"});
      result_.unmatched.push_back("output of " + name_a_ + " " + pair.a + ": " + name_b_ + " " + pair.b +
                                  " has its weights, another output");
    }
    for (const InputMatch& input : pair.inputs) {
      if (input.form) {
        add_activation({pair.a, pair.b, "input", input.index_a, input.index_b, *input.form, "", ""});
      } else {
        result_.unmatched.push_back("input " + input.index_a + " of " + name_a_ + " " + pair.a + ": no input of " +
                                    name_b_ + " " + pair.b + " is like it");
      }
    }
  }

  // For the role of the line and for its gradients, which know no bias.
  void add_activation(Line line) {
    const std::string values = "\"" + line.roles + "\"";
    const std::string gradients = "\"grad_" + line.roles + "\"";
    if (line.form_a == "common(-1)") line.form_b = line.form_a;
    const std::size_t behind = line.form_a.starts_with("plus(") ? line.form_a.find(" | ") : std::string::npos;
    if (behind == std::string::npos) {
      line.roles = values + ", " + gradients;
      return writer_.add(std::move(line));
    }
    line.roles = values;
    writer_.add(line);
    line.roles = gradients;
    line.form_a = line.form_a.substr(behind + 3);
    writer_.add(std::move(line));
  }

  void add_weight(const WeightMatch& match) {
    const WeightRecord& of_a = weights_.a[match.a];
    const WeightRecord& of_b = weights_.b[match.b];
    ++(match.error == 0 ? result_.exact : result_.close);
    add_weight_line(of_a.row, of_b.row, match);
    for (const std::int64_t row_a : of_a.around) {
      for (const std::int64_t row_b : of_b.around) {
        if (are_paired(id(a_, row_a).layer, id(b_, row_b).layer)) add_weight_line(row_a, row_b, match);
      }
    }
  }

  bool are_paired(const std::string& a, const std::string& b) const {
    return std::ranges::any_of(labels_.pairs, [&](const LabelMatch& each) { return each.a == a && each.b == b; });
  }

  void add_weight_line(std::int64_t row_a, std::int64_t row_b, const WeightMatch& match) {
    const RecordId& of_a = id(a_, row_a);
    const RecordId& of_b = id(b_, row_b);
    Line line{of_a.layer, of_b.layer, R"("param", "param_grad")", of_a.index, of_b.index, "", "", ""};
    if (weights_.form_on_a || match.common) line.form_a = match.form;
    if (!weights_.form_on_a || match.common) line.form_b = match.form;
    if (match.error > 0) line.remark = "not equal: relative difference " + show(match.error);
    writer_.add(std::move(line));
  }

  void add_unmatched() {
    std::set<std::size_t> found_a;
    std::set<std::size_t> found_b;
    for (const WeightMatch& match : weights_.matches) {
      found_a.insert(match.a);
      found_b.insert(match.b);
    }
    add_weights(name_a_, a_, weights_.a, found_a);
    add_weights(name_b_, b_, weights_.b, found_b);
    for (const std::string& label : labels_.only_a) result_.unmatched.push_back("layer of " + name_a_ + ": " + label);
    for (const std::string& label : labels_.only_b) result_.unmatched.push_back("layer of " + name_b_ + ": " + label);
  }

  void add_weights(const std::string& side, const TraceView& trace, const std::vector<WeightRecord>& weights,
                   const std::set<std::size_t>& found) {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (found.contains(i)) continue;
      const Record& record = trace.records[static_cast<std::size_t>(weights[i].row)];
      result_.unmatched.push_back("weight of " + side + ": " + record.id.layer + " " + record.id.index + " " +
                                  show_list(record.shape));
    }
  }

  const TraceView& a_;
  const TraceView& b_;
  std::string name_a_, name_b_;
  WeightMatches weights_;
  LabelMatches labels_;
  Writer writer_;
  InferredRelation result_;
};

}  // namespace

InferredRelation infer_relation(const TraceView& a, const TraceView& b) {
  InferredRelation found = Inference(a, b, Sides::given).run();
  if (found.unmatched.empty()) return found;
  InferredRelation other = Inference(b, a, Sides::exchanged).run();
  return other.unmatched.size() < found.unmatched.size() ? std::move(other) : std::move(found);
}

}  // namespace goldentrace
