// Arguments and results of boxed ops as data, and back.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <functional>
#include <optional>

#include "traces/tape.h"

namespace goldentrace {

// Gives the number of the tape value that a tensor is. Called for every defined tensor that is no wrapped number.
using TensorNumber = std::function<ValueIndex(const at::Tensor&)>;

// Undefined tensors become `none`. A wrapped number (TensorImpl::is_wrapped_number) becomes `number`: its scalar is
// read from memory, no op runs. The default generator of a device has an empty text, another one its present state,
// so generators must be encoded before the op runs. Runs no op and keeps no reference.
// Error(unsupported) naming the kind: tuples, dictionaries, storages, streams, objects, symbolic integers.
Argument encode(const c10::IValue& value, const TensorNumber& number_of);

// Gives the tensor of a tape value; throws Error when there is none.
using TensorOfValue = std::function<at::Tensor(ValueIndex)>;

struct DecodeOptions {
  // Floating dtypes where the schema asks for a dtype (real type ScalarType) are replaced; none: as recorded.
  // Complex ones by its complex partner.
  DType dtype = DType::none;
  std::optional<c10::Device> device;  // replaces device arguments; empty: as recorded
};

// The IValue that `type`, an argument's real type in the schema, wants. List elements get the schema's element type.
// Error(unsupported) "bool given where Tensor is expected": hostile tapes never reach a kernel with a wrong kind.
// A generator with a state becomes a new CPU generator in that state.
c10::IValue decode(const Argument& argument, const c10::Type& type, const TensorOfValue& tensor_of,
                   DecodeOptions options = {});

}  // namespace goldentrace
