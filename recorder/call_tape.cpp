#include <algorithm>
#include <bit>

#include "recorder/call.h"

namespace goldentrace {
namespace {

bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

// Renumbers the values of a log's range: each tape counts from 0 in order of first appearance.
class TapeBuilder {
 public:
  explicit TapeBuilder(const Call& call) : call_(call), log_(*call.log), number_(++log_.builders) {}

  bool would_equal(const Tape& other) {
    const std::size_t end = std::min(call_.ops_end, log_.ops.size());
    if (other.layer != call_.facts.layer || other.unsupported != call_.unsupported ||
        other.ops.size() != end - call_.ops_begin || other.outputs.size() != call_.outputs.size()) {
      return false;
    }
    for (std::size_t i = 0; i < other.ops.size(); ++i) {
      if (!is_same_op(log_.ops[call_.ops_begin + i], other.ops[i], other)) return false;
    }
    for (std::size_t i = 0; i < other.outputs.size(); ++i) {
      const CallOutput& output = call_.outputs[i];
      if (output.position != other.outputs[i].position) return false;
      const auto found = log_.numbers.find(output.uid);
      if (!is_same_value(found == log_.numbers.end() ? -1 : found->second, other.outputs[i].value, other)) return false;
    }
    return known_ == static_cast<ValueIndex>(other.values.size());
  }

  Tape build() {
    tape_.layer = call_.facts.layer;
    tape_.unsupported = call_.unsupported;
    const std::size_t end = std::min(call_.ops_end, log_.ops.size());
    for (std::size_t i = call_.ops_begin; i < end; ++i) {
      tape_.ops.push_back(log_.ops[i]);
      renumber(tape_.ops.back().arguments);
      renumber(tape_.ops.back().results);
    }
    for (const CallOutput& output : call_.outputs) {
      tape_.outputs.push_back({value_of(output.uid), output.position});
    }
    return std::move(tape_);
  }

 private:
  bool is_same_op(const TapeOp& op, const TapeOp& other, const Tape& tape) {
    return op.name == other.name && op.overload == other.overload && op.label == other.label &&
           op.grad_mode == other.grad_mode && op.inference_mode == other.inference_mode &&
           op.autocast == other.autocast && are_same(op.arguments, other.arguments, tape) &&
           are_same(op.results, other.results, tape);
  }

  bool are_same(const std::vector<Argument>& mine, const std::vector<Argument>& others, const Tape& tape) {
    return std::equal(mine.begin(), mine.end(), others.begin(), others.end(),
                      [&](const Argument& a, const Argument& b) { return is_same(a, b, tape); });
  }

  bool is_same(const Argument& a, const Argument& b, const Tape& tape) {
    if (a.kind != b.kind) return false;
    if (a.kind == ArgumentKind::tensor) return is_same_value(a.value, b.value, tape);
    return a.boolean == b.boolean && a.integer == b.integer && same_bits(a.real, b.real) &&
           same_bits(a.imaginary, b.imaginary) && a.text == b.text && a.dtype == b.dtype &&
           are_same(a.items, b.items, tape);
  }

  // Value `number` of the log would be value `index` of that tape.
  bool is_same_value(ValueIndex number, ValueIndex index, const Tape& tape) {
    if (number < 0 || index < 0) return number == index;
    LogValue& value = log_.values[static_cast<std::size_t>(number)];
    if (value.builder == number_) return value.local == index;
    if (index != known_ || static_cast<std::size_t>(index) >= tape.values.size()) return false;
    const TapeValue& other = tape.values[static_cast<std::size_t>(index)];
    if (value.alias && !call_.externals.contains(value.uid)) return false;  // its base may be new as well
    if (!(describe(value) == other)) return false;
    value.builder = number_;
    value.local = known_++;
    return true;
  }

  void renumber(std::vector<Argument>& arguments) {
    for (Argument& argument : arguments) {
      if (argument.kind == ArgumentKind::tensor) argument.value = local(argument.value);
      renumber(argument.items);
    }
  }

  ValueIndex value_of(TensorUid uid) {
    const auto found = log_.numbers.find(uid);
    return found == log_.numbers.end() ? -1 : local(found->second);
  }

  ValueIndex local(ValueIndex number) {
    if (number < 0) return number;
    LogValue& source = log_.values[static_cast<std::size_t>(number)];
    if (source.builder == number_) return source.local;
    TapeValue value = describe(source);
    source.builder = number_;
    source.local = static_cast<ValueIndex>(tape_.values.size());
    tape_.values.push_back(std::move(value));
    return source.local;
  }

  TapeValue describe(const LogValue& source) {
    TapeValue value;
    if (const auto external = call_.externals.find(source.uid); external != call_.externals.end()) {
      value.source = ValueSource::external;
      value.role = external->second.role;
      value.position = external->second.position;
      value.index = external->second.index;
      value.storage = storage_number(external->second.storage);
      value.requires_grad = external->second.requires_grad;
      place(value, external->second.geometry);
    } else if (source.alias) {
      value.source = ValueSource::alias;
      value.base = local(source.base);
      value.requires_grad = source.requires_grad;
      place(value, source.geometry);
    }
    return value;
  }

  static void place(TapeValue& value, const Geometry& geometry) {
    value.dtype = geometry.dtype;
    value.shape = geometry.shape;
    value.strides = geometry.strides;
    value.offset = geometry.offset;
  }

  std::int32_t storage_number(std::uint64_t storage) {
    return storages_.emplace(storage, static_cast<std::int32_t>(storages_.size())).first->second;
  }

  const Call& call_;
  OpLog& log_;
  const std::uint64_t number_;
  ValueIndex known_ = 0;  // values of the other tape that were met
  Tape tape_;
  std::unordered_map<std::uint64_t, std::int32_t> storages_;
};

}  // namespace

Tape build_tape(const Call& call) { return TapeBuilder(call).build(); }

bool has_tape(const Call& call, const Tape& tape) { return TapeBuilder(call).would_equal(tape); }

}  // namespace goldentrace
