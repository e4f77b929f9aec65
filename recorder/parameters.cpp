#include "recorder/parameters.h"

namespace goldentrace {
namespace {

const void* storage_address(const at::Tensor& tensor) {
  const c10::TensorImpl* impl = tensor.unsafeGetTensorImpl();
  return impl->has_storage() ? impl->unsafe_storage().unsafeGetStorageImpl() : nullptr;
}

// Initial values come from nothing recorded; a detached activation that requires a gradient does not.
bool is_fresh_leaf(const at::Tensor& tensor, const TensorInfo& info, Pass pass) {
  const bool computed = !info.depends.empty() || (info.maker && !info.maker->root);
  return pass == Pass::forward && tensor.is_leaf() && tensor.requires_grad() && info.declared < 0 && !computed;
}

bool is_same_memory(const at::Tensor& tensor, const Parameter& parameter) {
  const at::Tensor original(parameter.weak->lock());
  return original.defined() && tensor.sizes() == original.sizes() && tensor.strides() == original.strides() &&
         tensor.storage_offset() == original.storage_offset();
}

}  // namespace

std::string local_name(const std::string& full, const std::string& layer) {
  const std::string prefix = layer + '.';
  const std::size_t at = full.find(prefix);
  const bool whole_word = at == 0 || (at != std::string::npos && full[at - 1] == '.');
  return whole_word ? full.substr(at + prefix.size()) : full;
}

void Parameters::follow_storage(const std::shared_ptr<Parameter>& parameter, const at::Tensor& tensor) {
  if (const void* address = storage_address(tensor)) by_storage_[address] = parameter;
}

std::shared_ptr<Parameter> Parameters::add(const at::Tensor& tensor, Role role) {
  auto parameter = std::make_shared<Parameter>();
  parameter->role = role;
  parameter->weak = WeakTensor(tensor.getIntrusivePtr());
  by_tensor_[tensor.unsafeGetTensorImpl()] = parameter;
  follow_storage(parameter, tensor);
  return parameter;
}

void Parameters::watch(const std::string& name, const at::Tensor& tensor, Role role) {
  if (!tensor.defined()) return;
  const auto known = by_tensor_.find(tensor.unsafeGetTensorImpl());
  const std::shared_ptr<Parameter> parameter = known != by_tensor_.end() ? known->second : add(tensor, role);
  if (parameter->name.empty()) parameter->name = name;  // a tied one keeps its first name
  parameter->role = role;
}

std::shared_ptr<Parameter> Parameters::of(const at::Tensor& tensor, const TensorInfo& info, Pass pass) {
  if (const auto found = by_tensor_.find(tensor.unsafeGetTensorImpl()); found != by_tensor_.end()) {
    follow_storage(found->second, tensor);
    return found->second;
  }
  const auto owner = by_storage_.find(storage_address(tensor));
  const bool made_by_op = info.maker && !info.maker->root;
  if (owner != by_storage_.end() && !made_by_op && is_same_memory(tensor, *owner->second)) return owner->second;
  return !complete_ && is_fresh_leaf(tensor, info, pass) ? add(tensor, Role::param) : nullptr;
}

Parameter* Parameters::owner_of_memory(const at::Tensor& tensor) const {
  const auto owner = by_storage_.find(storage_address(tensor));
  return owner == by_storage_.end() || owner->second->role != Role::param ? nullptr : owner->second.get();
}

std::string Parameters::name_in(const Parameter& parameter, const std::string& layer, std::int32_t position) {
  return parameter.name.empty() ? std::to_string(position) : local_name(parameter.name, layer);
}

void Parameters::note_use(const std::shared_ptr<Parameter>& parameter, const std::string& layer) {
  if (!parameter->layer.empty()) return;
  parameter->layer = layer;
  parameter->position = next_position_[layer]++;
  parameter->index = name_in(*parameter, layer, parameter->position);
  used_.push_back(parameter);
}

void Parameters::forget_gone() {
  std::erase_if(by_tensor_, [](const auto& entry) { return entry.second->weak->expired(); });
  std::erase_if(by_storage_, [](const auto& entry) { return entry.second->weak->expired(); });
  std::erase_if(used_, [](const auto& parameter) { return parameter->weak->expired(); });
}

void Parameters::forget_rows() {
  for (const auto& parameter : used_) {
    parameter->shares.clear();
    parameter->value_row = parameter->update_row = parameter->total_row = -1;
  }
}

void Parameters::keep_alive() {
  for (const auto& parameter : used_) parameter->kept = at::Tensor(parameter->weak->lock());
}

void Parameters::let_go() {
  for (const auto& parameter : used_) parameter->kept = at::Tensor();
}

std::vector<std::shared_ptr<Parameter>> Parameters::used() const {
  std::vector<std::shared_ptr<Parameter>> alive;
  for (const auto& parameter : used_) {
    if (!parameter->weak->expired() && parameter->role == Role::param) alive.push_back(parameter);
  }
  return alive;
}

}  // namespace goldentrace
