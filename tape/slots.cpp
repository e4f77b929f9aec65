#include "tape/slots.h"

#include <ATen/ops/as_strided.h>

#include <algorithm>
#include <string>
#include <utility>

#include "tape/dtypes.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

constexpr int deepest_alias = 64;

std::string value_name(ValueIndex value) { return "%" + std::to_string(value); }

bool may_require_grad(const at::Tensor& tensor) { return tensor.is_floating_point() || tensor.is_complex(); }

}  // namespace

Slots::Slots(const Tape& tape, const std::vector<at::Tensor>& externals) : tape_(tape), tensors_(tape.values.size()) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < tape.values.size(); ++i) {
    if (tape.values[i].source != ValueSource::external) continue;
    if (next == externals.size()) break;
    tensors_[i] = externals[next++];
    if (!tensors_[i].defined()) throw Error(ErrorCode::internal, "no tensor for the tape's value " + value_name(i));
  }
  const auto wanted = static_cast<std::size_t>(std::count_if(
      tape.values.begin(), tape.values.end(), [](const TapeValue& v) { return v.source == ValueSource::external; }));
  if (wanted != externals.size()) {
    throw Error(ErrorCode::internal, "the tape reads " + std::to_string(wanted) + " tensors, " +
                                         std::to_string(externals.size()) + " were given");
  }
}

const TapeValue& Slots::described(ValueIndex value) const {
  if (value < 0 || static_cast<std::size_t>(value) >= tape_.values.size()) {
    throw Error(ErrorCode::damaged, "the tape has no value " + value_name(value));
  }
  return tape_.values[static_cast<std::size_t>(value)];
}

at::Tensor Slots::get(ValueIndex value) {
  const TapeValue& known = described(value);
  const at::Tensor& tensor = tensors_[static_cast<std::size_t>(value)];
  if (tensor.defined()) return tensor;
  if (known.source == ValueSource::alias) return alias(value);
  throw Error(ErrorCode::damaged, "value " + value_name(value) + " is read before an op has made it");
}

at::Tensor Slots::alias(ValueIndex value) {
  if (++alias_depth_ > deepest_alias) {
    throw Error(ErrorCode::damaged, "value " + value_name(value) + " is an alias of an alias of itself");
  }
  const TapeValue& known = described(value);
  const at::Tensor data = get(known.base).variable_data();
  --alias_depth_;
  at::Tensor made = at::as_strided(data, known.shape, known.strides, known.offset);
  if (known.requires_grad && may_require_grad(made)) made.set_requires_grad(true);
  set(value, made);
  return made;
}

void Slots::set(ValueIndex value, at::Tensor tensor) {
  described(value);
  tensors_[static_cast<std::size_t>(value)] = std::move(tensor);
}

}  // namespace goldentrace
