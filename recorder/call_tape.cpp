#include <algorithm>

#include "recorder/call.h"

namespace goldentrace {
namespace {

// Renumbers the values of a log's range: each tape counts from 0 in order of first appearance.
class TapeBuilder {
 public:
  explicit TapeBuilder(const Call& call) : call_(call), log_(*call.log) {}

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
    const auto known = locals_.find(number);
    if (known != locals_.end()) return known->second;
    const TapeValue value = describe(log_.values[static_cast<std::size_t>(number)]);
    const auto index = static_cast<ValueIndex>(tape_.values.size());
    tape_.values.push_back(value);
    locals_.emplace(number, index);
    return index;
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
  const OpLog& log_;
  Tape tape_;
  std::unordered_map<ValueIndex, ValueIndex> locals_;
  std::unordered_map<std::uint64_t, std::int32_t> storages_;
};

}  // namespace

Tape build_tape(const Call& call) { return TapeBuilder(call).build(); }

}  // namespace goldentrace
