#include "diff/relation/related_side.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "diff/number.h"
#include "diff/relation/element_math.h"
#include "diff/whole_sketch.h"
#include "traces/elements.h"
#include "traces/error.h"

namespace goldentrace {

namespace {

std::optional<double> as_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::size_t at(std::int64_t row) { return static_cast<std::size_t>(row); }

void append(std::vector<std::byte>& bytes, const void* data, std::size_t size) {
  const auto* first = static_cast<const std::byte*>(data);
  bytes.insert(bytes.end(), first, first + size);
}

// Far behind positions of first use.
std::int32_t position_of(const RelationLine& line, const std::string& index) {
  const std::string text = std::to_string(line.line) + (line.a->index && line.b->index ? '\n' + index : "");
  const Hash128 hash = content_hash(std::as_bytes(std::span(text)));
  return static_cast<std::int32_t>(1 << 20 | (hash.low & 0x3fffffff));
}

}  // namespace

RelatedSide::RelatedSide(const TraceView& trace, const TraceView& other, const LogicalSide& logical)
    : trace_(trace),
      other_(other),
      logical_(logical),
      row_of_(trace.records.size(), 0),
      plans_(logical_.tensors().size()) {
  for (const LogicalTensor& tensor : logical_.tensors()) {
    if (!tensor.stands_for) {
      for (const std::int64_t row : tensor.sources) row_of_[at(row)] = static_cast<std::int64_t>(records_.size());
    }
    left_out_.push_back(tensor.is_left_out() ? 1 : 0);
    records_.push_back(logical_record(tensor));
  }
  for (std::size_t row = 0; row < trace.records.size(); ++row) {
    const RecordId& id = trace.records[row].id;
    by_layer_[{id.layer, id.role}].push_back(static_cast<std::int64_t>(row));
  }
  count_tokens();
  set_view();
}

Record RelatedSide::logical_record(const LogicalTensor& tensor) {
  Record record = trace_.records[at(tensor.sources.front())];
  record.id.layer = tensor.match->layer;
  record.id.index = tensor.match->index;
  if (tensor.stands_for) record.id.pass = *tensor.stands_for;
  const Form& form = tensor.match->form;
  if (form.combines()) {
    const ShardPlace whole = form.combined({0, 1, 1});
    const ShardPlace left = form.combined(logical_.ranks().shard_of(record.id));
    record.id.micro = left.micro;
    record.id.rank = left.data * (whole.tensor == 0 ? 1 : logical_.ranks().tensor_degree()) + left.tensor;
  }
  if (tensor.match->by_line) record.position = position_of(*tensor.match->line(), record.id.index);
  return record;
}

const FormPlan* RelatedSide::plan(std::int64_t row) const {
  const std::optional<FormPlan>& plan = plans_[at(row)];
  return plan ? &*plan : nullptr;
}

const std::vector<std::int64_t>& RelatedSide::rows_of(const std::string& layer, Role role) const {
  static const std::vector<std::int64_t> none;
  const auto found = by_layer_.find({layer, role});
  return found == by_layer_.end() ? none : found->second;
}

FormSource RelatedSide::source(std::int64_t recorded_row) const {
  const Record& record = trace_.records[at(recorded_row)];
  return {recorded_row, logical_.ranks().shard_of(record.id), record.dtype, record.shape};
}

std::optional<double> RelatedSide::header_value(const std::vector<std::string>& names, const TraceView& trace) const {
  for (const std::string& name : names) {
    if (!trace.header) break;
    const auto found = trace.header->find(name);
    if (found == trace.header->end()) continue;
    if (const auto value = as_number(found->second)) return value;
  }
  return std::nullopt;
}

std::optional<double> RelatedSide::value_of(std::string_view name, const SetMatch& set) const {
  if (const auto capture = set.captures.find(name); capture != set.captures.end()) return as_number(capture->second);
  const auto found = set.role->relation->symbols.find(name);
  if (found == set.role->relation->symbols.end()) return std::nullopt;
  const Symbol& symbol = found->second;
  if (symbol.number) return symbol.number;
  if (!symbol.own.empty()) return header_value(symbol.own, trace_).value_or(symbol.otherwise);
  const bool is_a = set.role->part == RelationPart::a;
  const auto own = header_value(is_a ? symbol.header_a : symbol.header_b, trace_);
  return own ? own : header_value(is_a ? symbol.header_b : symbol.header_a, other_);
}

FormSource RelatedSide::partner(const FormStep& step, const FormSource& source, const Captures& captures) const {
  const RecordId& id = trace_.records[at(source.row)].id;
  const std::string layer = NamePattern(step.arguments[0]).expand(captures);
  const NamePattern index(step.arguments[2]);
  for (const std::int64_t row : rows_of(layer, parse_role(step.arguments[1]))) {
    const RecordId& other = trace_.records[at(row)].id;
    const bool beside = other.step == id.step && other.micro == id.micro && other.rank == id.rank &&
                        other.pass == id.pass && other.call == id.call;
    if (beside && index.match(other.index)) return this->source(row);
  }
  throw Error(ErrorCode::usage, "'" + step.text + "': there is no such record beside " + describe(id));
}

// Small labels are whole in their sketch.
void RelatedSide::count_tokens() {
  for (std::size_t row = 0; row < trace_.records.size(); ++row) {
    const Record& record = trace_.records[row];
    if (!record.declared || record.id.index != "labels" || !has_content(static_cast<std::int64_t>(row))) continue;
    const std::vector<double> values = to_numbers(content(static_cast<std::int64_t>(row)), record.dtype);
    tokens_[{record.id.step, record.id.micro, record.id.rank}] =
        static_cast<double>(std::ranges::count_if(values, [](double value) { return value != -100; }));
  }
}

double RelatedSide::tokens(const FormSource& source) const {
  const RecordId& id = trace_.records[at(source.row)].id;
  const auto found = tokens_.find({id.step, id.micro, id.rank});
  if (found != tokens_.end()) return found->second;
  throw Error(ErrorCode::usage, "the tokens of step " + std::to_string(id.step) + ", micro " +
                                    std::to_string(id.micro) +
                                    " are not known: its labels were not recorded with their payload");
}

FormContext RelatedSide::context(std::int64_t row, std::optional<std::int64_t> common) const {
  const std::vector<SetMatch>& sets = logical_.tensors()[at(row)].match->sets;
  FormContext result;
  result.value_of = [this, &sets](std::size_t scope, std::string_view name) { return value_of(name, sets[scope]); };
  result.partner = [this, &sets](const FormStep& step, const FormSource& source) {
    return partner(step, source, sets[step.scope].captures);
  };
  result.tokens = [this](const FormSource& source) { return tokens(source); };
  result.common = common;
  return result;
}

bool RelatedSide::make_plan(std::int64_t row, std::optional<std::int64_t> common) {
  const LogicalTensor& tensor = logical_.tensors()[at(row)];
  const Form& form = tensor.match->form;
  if (form.steps().empty()) return true;
  std::vector<FormSource> sources;
  for (const std::int64_t each : tensor.sources) sources.push_back(source(each));
  try {
    plans_[at(row)].emplace(form, std::move(sources), context(row, common));
    return true;
  } catch (const Error& error) {
    set_misfit(row, "the form '" + form.text() + "' does not fit " + describe(recorded_id(row)) + ": " + error.what());
    return false;
  }
}

void RelatedSide::set_misfit(std::int64_t row, std::string text) { misfits_.try_emplace(row, std::move(text)); }

void RelatedSide::add_mask(std::int64_t row, KeptEntries mask) { masks_[row].push_back(std::move(mask)); }

void RelatedSide::leave_out(std::int64_t row, std::string reason) {
  left_out_[at(row)] = 1;
  reasons_[row] = std::move(reason);
}

std::string RelatedSide::reason(std::int64_t row) const {
  const auto found = reasons_.find(row);
  return found != reasons_.end() ? found->second : logical_.tensors()[at(row)].match->line()->reason;
}

void RelatedSide::take_sample(std::int64_t row, std::int64_t at_entry) {
  const LogicalTensor& tensor = logical_.tensors()[at(row)];
  const auto slice = [](std::int64_t axis, std::int64_t from, std::int64_t to) {
    return Form("slice(" + std::to_string(axis) + ", " + std::to_string(from) + ", " + std::to_string(to) + ")");
  };
  const std::optional<FormPlan>& known = plans_[at(row)];
  Form form = tensor.match->form.without_common();
  // What both sides have of an axis was asked last.
  if (known && known->common_axis() >= 0)
    form.join(slice(known->common_axis(), 0, known->shape()[at(known->common_axis())]), 0);
  form.join(slice(0, at_entry, at_entry + 1), 0);
  std::vector<FormSource> sources;
  for (const std::int64_t each : tensor.sources) sources.push_back(source(each));
  plans_[at(row)].emplace(form, std::move(sources), context(row, std::nullopt));
}

// What says nothing about the recorded content must never equal its hash.
void RelatedSide::set_fingerprint(std::int64_t row) {
  Record& record = records_[at(row)];
  const FormPlan& plan = *plans_[at(row)];
  record.dtype = plan.dtype();
  record.shape = plan.shape();
  std::vector<std::byte> bytes;
  Statistics sum{};
  for (const FormSource& source : plan.sources()) {
    const Fingerprint& fingerprint = trace_.records[at(source.row)].fingerprint;
    append(bytes, &fingerprint.hash, sizeof fingerprint.hash);
    sum.nan_count += fingerprint.statistics.nan_count;
    sum.inf_count += fingerprint.statistics.inf_count;
  }
  for (const std::int64_t partner : plan.partners()) {
    append(bytes, &trace_.records[at(partner)].fingerprint.hash, sizeof(Hash128));
  }
  append(bytes, plan.text().data(), plan.text().size());
  record.fingerprint.hash = content_hash(bytes);
  sum.l2 = std::abs(plan.factor()) * record.fingerprint.statistics.l2;
  if (plan.sources().size() > 1 && plan.is_linear() && !has_payload(row)) {
    const Sketch total = sketch(row);
    sum.l2 = std::sqrt(std::inner_product(total.begin(), total.end(), total.begin(), 0.0));
  }
  record.fingerprint.statistics = sum;
}

void RelatedSide::set_producers(std::int64_t row) {
  std::set<std::int64_t> producers;
  for (const std::int64_t source : logical_.tensors()[at(row)].sources) {
    for (const std::int64_t producer : trace_.records[at(source)].producers) {
      if (producer >= 0 && producer < static_cast<std::int64_t>(row_of_.size())) producers.insert(row_of(producer));
    }
  }
  if (const FormPlan* made = plan(row)) {
    for (const std::int64_t partner : made->partners()) producers.insert(row_of(partner));
  }
  producers.erase(row);
  records_[at(row)].producers.assign(producers.begin(), producers.end());
}

void RelatedSide::finish() {
  for (std::int64_t row = 0; row < static_cast<std::int64_t>(records_.size()); ++row) {
    if (plan(row) && !plan(row)->takes_first()) set_fingerprint(row);
    set_producers(row);
    if (masks_.contains(row)) {
      // Its content is not the recorded one either.
      records_[at(row)].fingerprint.hash.low ^= 0x9e3779b97f4a7c15ULL;
    }
  }
  view_.records = records_;
}

const Record& RelatedSide::recorded(std::int64_t row) const {
  return trace_.records[at(logical_.tensors()[at(row)].sources.front())];
}

std::vector<RecordedTensor> RelatedSide::sources(std::int64_t row) const {
  std::vector<RecordedTensor> result;
  for (const std::int64_t source : logical_.tensors()[at(row)].sources)
    result.push_back({trace_.records[at(source)], trace_.sketch(source)});
  return result;
}

bool RelatedSide::is_transformed(std::int64_t row) const {
  return masks_.contains(row) || (plan(row) && !plan(row)->takes_first());
}

std::string RelatedSide::form(std::int64_t row) const {
  std::string text = plan(row) ? plan(row)->text() : "";
  const std::size_t count = logical_.tensors()[at(row)].sources.size();
  if (count > 1) text += " of " + counted(static_cast<std::int64_t>(count), "record");
  if (const auto masks = masks_.find(row); masks != masks_.end()) {
    for (const KeptEntries& mask : masks->second) text += (text.empty() ? "" : ", ") + mask.text;
  }
  return text;
}

std::string RelatedSide::misfit(std::int64_t row) const {
  const auto found = misfits_.find(row);
  return found == misfits_.end() ? "" : found->second;
}

std::optional<RecordId> RelatedSide::source_at(std::int64_t row, std::int64_t element) const {
  if (!plan(row) || logical_.tensors()[at(row)].sources.size() < 2) return std::nullopt;
  const std::optional<std::int64_t> source = plan(row)->source_at(element);
  return source ? std::optional(trace_.records[at(*source)].id) : std::nullopt;
}

std::optional<std::vector<std::vector<std::byte>>> RelatedSide::as_recorded(
    std::int64_t row, const std::vector<std::byte>& logical) const {
  if (masks_.contains(row)) return std::nullopt;
  if (!is_transformed(row)) return std::vector<std::vector<std::byte>>{logical};
  return plan(row)->undo(logical);
}

bool RelatedSide::has_content(std::int64_t recorded_row) const {
  if (trace_.has_payload(recorded_row)) return true;
  return can_be_restored(trace_.records[at(recorded_row)], trace_.sketch(recorded_row));
}

bool RelatedSide::has_payload(std::int64_t row) const {
  if (!is_transformed(row)) return trace_.has_payload(logical_.tensors()[at(row)].sources.front());
  const auto is_there = [this](std::int64_t each) { return has_content(each); };
  if (!std::ranges::all_of(logical_.tensors()[at(row)].sources, is_there)) return false;
  return !plan(row) || std::ranges::all_of(plan(row)->partners(), is_there);
}

std::vector<std::byte> RelatedSide::content(std::int64_t recorded_row) const {
  if (trace_.has_payload(recorded_row)) return trace_.payload(recorded_row);
  return restore(trace_.records[at(recorded_row)], trace_.sketch(recorded_row));
}

std::vector<std::byte> RelatedSide::payload(std::int64_t row) const {
  const FormPlan* made = plan(row);
  std::vector<std::byte> bytes = made ? made->apply([this](std::int64_t each) { return content(each); })
                                      : content(logical_.tensors()[at(row)].sources.front());
  if (const auto masks = masks_.find(row); masks != masks_.end()) {
    for (const KeptEntries& mask : masks->second) clear_masked(bytes, records_[at(row)].dtype, mask.keep());
  }
  return bytes;
}

Sketch RelatedSide::sketch(std::int64_t row) const {
  if (!is_transformed(row)) return trace_.sketch(logical_.tensors()[at(row)].sources.front());
  if (masks_.contains(row) || !plan(row)->is_linear()) return {};
  return plan(row)->sketch([this](std::int64_t each) { return trace_.sketch(each); });
}

const std::string& RelatedSide::name_of_layer(const std::string& layer) const {
  const auto found = logical_.layers().find(layer);
  return found == logical_.layers().end() ? layer : found->second;
}

Tape RelatedSide::renamed(Tape tape) const {
  tape.layer = name_of_layer(tape.layer);
  for (TapeOp& op : tape.ops) op.label = name_of_layer(op.label);
  return tape;
}

void RelatedSide::set_calls() {
  using Key = std::tuple<std::int64_t, std::string, std::int32_t, Pass>;
  std::map<Key, Pass> standing;
  for (const LogicalTensor& tensor : logical_.tensors()) {
    const RecordId& id = trace_.records[at(tensor.sources.front())].id;
    if (tensor.stands_for) standing.emplace(Key{id.step, id.layer, id.call, id.pass}, *tensor.stands_for);
  }
  calls_.assign(trace_.calls.begin(), trace_.calls.end());
  for (const LayerCall& call : trace_.calls) {
    const auto found = standing.find({call.step, call.layer, call.call, call.pass});
    if (found == standing.end()) continue;
    calls_.push_back(call);
    calls_.back().pass = found->second;
  }
  for (LayerCall& call : calls_) call.layer = name_of_layer(call.layer);
  view_.calls = calls_;
}

void RelatedSide::set_view() {
  view_ = trace_;
  view_.logical = this;
  view_.records = records_;
  set_calls();
  view_.has_payload = [this](std::int64_t row) { return has_payload(row); };
  view_.sketch = [this](std::int64_t row) { return sketch(row); };
  view_.read_payload = [this](std::int64_t row, std::vector<std::byte>& bytes) {
    if (is_transformed(row)) {
      bytes = payload(row);
    } else {
      trace_.read_payload(logical_.tensors()[at(row)].sources.front(), bytes);
    }
  };
  view_.tape = [this](std::int64_t tape) { return renamed(trace_.tape(tape)); };
}

}  // namespace goldentrace
