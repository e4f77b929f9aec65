#include "tests/tape/tape_recorder.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/autocast_mode.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>

#include <map>
#include <memory>
#include <utility>

#include "tape/dtypes.h"
#include "tape/external.h"
#include "tape/ivalue.h"

namespace goldentrace {
namespace {

class Observer;
Observer* observer = nullptr;

class Observer {
 public:
  void enter(const at::RecordFunction& fn) {
    if (!fn.operator_name() || depth_++ > 0) return;
    TapeOp op;
    op.name = fn.operator_name()->name;
    op.overload = fn.operator_name()->overload_name;
    op.grad_mode = c10::GradMode::is_enabled();
    op.inference_mode = c10::InferenceMode::is_enabled();
    if (at::autocast::is_autocast_enabled(at::kCPU)) op.autocast = to_dtype(at::autocast::get_autocast_dtype(at::kCPU));
    for (const auto& input : fn.inputs()) {
      op.arguments.push_back(encode(input, [this](const at::Tensor& tensor) { return read(tensor); }));
    }
    run_.tape.ops.push_back(std::move(op));
  }

  void leave(const at::RecordFunction& fn) {
    if (!fn.operator_name() || --depth_ > 0) return;
    for (const auto& output : fn.outputs()) {
      run_.tape.ops.back().results.push_back(encode(output, [this](const at::Tensor& tensor) { return made(tensor); }));
    }
  }

  TapedRun finish(std::vector<at::Tensor> outputs) {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      run_.tape.outputs.push_back({read(outputs[i]), static_cast<std::int32_t>(i)});
    }
    run_.outputs = std::move(outputs);
    return std::move(run_);
  }

 private:
  ValueIndex read(const at::Tensor& tensor) {
    const auto known = values_.find(tensor.unsafeGetTensorImpl());
    return known != values_.end() ? known->second : unseen(tensor);
  }

  ValueIndex add(const at::Tensor& tensor, TapeValue value) {
    keep_.push_back(tensor);
    run_.tape.values.push_back(std::move(value));
    const auto number = static_cast<ValueIndex>(run_.tape.values.size() - 1);
    values_[tensor.unsafeGetTensorImpl()] = number;
    return number;
  }

  ValueIndex unseen(const at::Tensor& tensor) {
    const auto* storage = tensor.storage().unsafeGetStorageImpl();
    TapeValue value;
    value.dtype = to_dtype(tensor.scalar_type());
    value.shape = tensor.sizes().vec();
    value.strides = tensor.strides().vec();
    value.offset = tensor.storage_offset();
    value.requires_grad = tensor.requires_grad();
    const auto maker = made_storages_.find(storage);
    if (maker != made_storages_.end()) {
      value.source = ValueSource::alias;
      value.base = maker->second;
      return add(tensor, value);
    }
    value.source = ValueSource::external;
    value.role = tensor.is_leaf() && tensor.requires_grad() ? Role::param : Role::input;
    value.position = next_position_[value.role]++;
    value.storage = storages_.emplace(storage, static_cast<std::int32_t>(storages_.size())).first->second;
    run_.externals.push_back(tensor.detach().clone());
    run_.originals.push_back(tensor);
    return add(tensor, value);
  }

  ValueIndex made(const at::Tensor& tensor) {
    const auto known = values_.find(tensor.unsafeGetTensorImpl());
    if (known != values_.end()) return known->second;
    const ValueIndex number = add(tensor, {});
    if (tensor.has_storage() && !storages_.contains(tensor.storage().unsafeGetStorageImpl())) {
      made_storages_.emplace(tensor.storage().unsafeGetStorageImpl(), number);
    }
    return number;
  }

  TapedRun run_;
  int depth_ = 0;
  std::map<Role, std::int32_t> next_position_;
  std::map<const c10::TensorImpl*, ValueIndex> values_;
  std::map<const c10::StorageImpl*, std::int32_t> storages_;
  std::map<const c10::StorageImpl*, ValueIndex> made_storages_;
  std::vector<at::Tensor> keep_;
};

std::unique_ptr<at::ObserverContext> enter(const at::RecordFunction& fn) {
  const at::DisableRecordFunctionGuard own;
  observer->enter(fn);
  return nullptr;
}

void leave(const at::RecordFunction& fn, at::ObserverContext*) {
  const at::DisableRecordFunctionGuard own;
  observer->leave(fn);
}

}  // namespace

TapedRun tape_of(const std::function<std::vector<at::Tensor>()>& layer) {
  Observer own;
  observer = &own;
  const at::Tensor state = at::detail::getDefaultCPUGenerator().get_state();
  const auto handle = at::addThreadLocalCallback(at::RecordFunctionCallback(enter, leave)
                                                     .needsInputs(true)
                                                     .needsOutputs(true)
                                                     .scopes({at::RecordScope::FUNCTION}));
  std::vector<at::Tensor> outputs = layer();
  at::removeCallback(handle);
  TapedRun run = own.finish(std::move(outputs));
  run.random_state = state;
  return run;
}

TapeInputs inputs_of(const TapedRun& run, DType dtype) {
  std::vector<std::vector<std::byte>> bytes;
  for (const at::Tensor& external : run.externals) bytes.push_back(bytes_of(external));
  std::vector<ExternalContent> contents;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    contents.push_back({to_dtype(run.externals[i].scalar_type()), run.externals[i].sizes().vec(), bytes[i]});
  }
  return {restore_externals(run.tape, contents, {.dtype = dtype, .device = {}}), run.random_state};
}

bool bit_equal(const at::Tensor& a, const at::Tensor& b) {
  if (a.defined() != b.defined()) return false;
  if (!a.defined()) return true;
  return a.scalar_type() == b.scalar_type() && a.sizes() == b.sizes() && bytes_of(a) == bytes_of(b);
}

}  // namespace goldentrace
