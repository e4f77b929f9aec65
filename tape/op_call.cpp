#include "tape/op_call.h"

#include <ATen/core/List.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/function_schema.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "tape/ivalue.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

// Ops that reach outside the tensors they are given.
constexpr std::array<std::string_view, 1> refused_ops = {"aten::from_file"};
constexpr std::array<std::string_view, 3> collective_namespaces = {"c10d::", "_c10d_functional::", "symm_mem::"};

void refuse_unsafe(const TapeOp& op) {
  if (std::find(refused_ops.begin(), refused_ops.end(), op.name) != refused_ops.end()) {
    throw Error(ErrorCode::unsupported, "the op reads or writes files");
  }
  for (const std::string_view prefix : collective_namespaces) {
    if (op.name.starts_with(prefix)) throw Error(ErrorCode::unsupported, "collectives are not replayed");
  }
}

c10::OperatorHandle find_op(const TapeOp& op) {
  refuse_unsafe(op);
  const auto handle = c10::Dispatcher::singleton().findSchema({op.name, op.overload});
  if (!handle) throw Error(ErrorCode::unsupported, "this LibTorch does not know the op");
  return *handle;
}

c10::IValue decode_argument(const Argument& argument, const c10::Argument& wanted, Slots& slots,
                            const ExecutorOptions& options) {
  try {
    return decode(argument, *wanted.real_type(), [&](ValueIndex value) { return slots.get(value); },
                  {.dtype = options.dtype, .device = options.device});
  } catch (const Error& error) {
    throw Error(error.code(), "argument " + wanted.name() + ": " + error.what());
  }
}

std::vector<c10::IValue> arguments_of(const TapeOp& op, const c10::FunctionSchema& schema, Slots& slots,
                                      const ExecutorOptions& options) {
  const auto& wanted = schema.arguments();
  if (op.arguments.size() != wanted.size()) {
    throw Error(ErrorCode::unsupported, std::to_string(op.arguments.size()) + " arguments given where " +
                                            std::to_string(wanted.size()) + " are expected");
  }
  std::vector<c10::IValue> stack;
  stack.reserve(wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    stack.push_back(decode_argument(op.arguments[i], wanted[i], slots, options));
  }
  return stack;
}

[[noreturn]] void refuse_result(const c10::IValue& value) {
  throw Error(ErrorCode::unsupported, "the result is a " + value.tagKind() + ", which was not recorded");
}

void take_tensor(const Argument& recorded, const at::Tensor& tensor, Slots& slots, OpResults& results) {
  if (!tensor.defined()) return;
  results.tensors.push_back(tensor);
  if (recorded.kind == ArgumentKind::tensor) slots.set(recorded.value, tensor);
}

ValueIndex no_tensor(const at::Tensor&) { return -1; }

void take(const Argument& recorded, const c10::IValue& value, Slots& slots, OpResults& results) {
  if (value.isTensor()) return take_tensor(recorded, value.toTensor(), slots, results);
  if (value.isList() && recorded.kind == ArgumentKind::list) {
    const auto items = value.toListRef();
    if (items.size() != recorded.items.size()) {
      throw Error(ErrorCode::unsupported, "the result is a list of " + std::to_string(items.size()) + ", not of " +
                                              std::to_string(recorded.items.size()) + " as recorded");
    }
    for (std::size_t i = 0; i < items.size(); ++i) take(recorded.items[i], items[i], slots, results);
    return;
  }
  if (recorded.kind == ArgumentKind::tensor) refuse_result(value);
  if (encode(value, no_tensor) != recorded) {
    results.notes.push_back("gave another value than when it was recorded; what the program decided by it is fixed");
  }
}

}  // namespace

OpResults call_op(const TapeOp& op, Slots& slots, const ExecutorOptions& options) {
  const c10::OperatorHandle handle = find_op(op);
  std::vector<c10::IValue> stack = arguments_of(op, handle.schema(), slots, options);
  handle.callBoxed(&stack);
  if (stack.size() != op.results.size()) {
    throw Error(ErrorCode::damaged, std::to_string(stack.size()) + " results given where the tape has " +
                                        std::to_string(op.results.size()));
  }
  OpResults results;
  for (std::size_t i = 0; i < stack.size(); ++i) take(op.results[i], stack[i], slots, results);
  return results;
}

}  // namespace goldentrace
