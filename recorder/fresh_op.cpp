#include "recorder/fresh_op.h"

#include <ATen/core/ivalue.h>

#include "tape/ivalue.h"

namespace goldentrace {

TapeOp fresh_memory_op(const at::Tensor& tensor, ValueIndex result, const std::string& label) {
  TapeOp op;
  op.name = "aten::empty_strided";
  op.label = label;
  const TensorNumber none = [](const at::Tensor&) { return ValueIndex{-1}; };
  const c10::IValue arguments[] = {c10::IValue(tensor.sizes().vec()),
                                   c10::IValue(tensor.strides().vec()),
                                   c10::IValue(static_cast<std::int64_t>(tensor.scalar_type())),
                                   c10::IValue(),
                                   c10::IValue(tensor.device()),
                                   c10::IValue()};
  for (const c10::IValue& argument : arguments) op.arguments.push_back(encode(argument, none));
  Argument made;
  made.kind = ArgumentKind::tensor;
  made.value = result;
  op.results.push_back(made);
  return op;
}

}  // namespace goldentrace
