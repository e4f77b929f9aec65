#include "recorder/tensor_table.h"

#include <algorithm>
#include <iterator>

namespace goldentrace {
namespace {

// Values that depend on more records than this are sums over a whole run; the nearest ones are kept.
constexpr std::size_t rows_limit = 256;

// Tensors that are gone leave their headers behind as long as they are known. They lie in the holes that freed tensors
// left, so that the next large tensor would not fit there and memory would grow: few are kept.
constexpr std::size_t sweep_after = 16;

c10::StorageImpl* storage_impl(const c10::TensorImpl* impl) {
  return impl->has_storage() ? impl->unsafe_storage().unsafeGetStorageImpl() : nullptr;
}

}  // namespace

void merge(Rows& into, const Rows& from) {
  if (from.empty() || into == from) return;
  if (into.empty()) {
    into = from;
    return;
  }
  Rows both;
  both.reserve(into.size() + from.size());
  std::set_union(into.begin(), into.end(), from.begin(), from.end(), std::back_inserter(both));
  if (both.size() > rows_limit) both.erase(both.begin(), both.end() - rows_limit);
  into = std::move(both);
}

at::Tensor TensorInfo::lock() const { return weak ? at::Tensor(weak->lock()) : at::Tensor(); }

std::shared_ptr<StorageInfo> TensorTable::storage_of(c10::TensorImpl* impl) {
  c10::StorageImpl* address = storage_impl(impl);
  if (address == nullptr) return nullptr;
  std::shared_ptr<StorageInfo>& entry = storages_[address];
  if (!entry) {
    entry = std::make_shared<StorageInfo>();
    entry->number = next_storage_++;
    entry->weak = impl->unsafe_storage().getWeakStorageImpl();
  }
  return entry;
}

void TensorTable::begin(TensorInfo& info, const at::Tensor& tensor) {
  std::optional<WeakTensor> weak = std::move(info.weak);
  info = TensorInfo();
  info.uid = next_uid_++;
  info.weak = weak ? std::move(weak) : WeakTensor(tensor.getIntrusivePtr());
  info.storage = storage_of(tensor.unsafeGetTensorImpl());
  if (!info.storage) return;
  info.storage_version = info.storage->version;
  info.made = info.storage->made;
  info.maker = info.storage->maker;
  info.depends = info.storage->depends;
}

void TensorTable::follow_writes(TensorInfo& info) {
  if (!info.storage || info.storage_version == info.storage->version) return;
  info.storage_version = info.storage->version;
  info.made = true;
  info.unfilled = false;
  info.read = false;
  info.maker = info.storage->maker;
  info.outputs.clear();
  merge(info.depends, info.storage->depends);
}

bool TensorTable::on_known_storage(const TensorInfo& info, const c10::TensorImpl* impl) const {
  const auto found = storages_.find(storage_impl(impl));
  return found == storages_.end() ? !info.storage : found->second == info.storage;
}

// `param.data = x` keeps the tensor and changes its storage: such a tensor begins anew.
TensorInfo& TensorTable::find(const at::Tensor& tensor) {
  TensorInfo& info = tensors_[tensor.unsafeGetTensorImpl()];
  if (info.uid == 0 || !on_known_storage(info, tensor.unsafeGetTensorImpl())) begin(info, tensor);
  follow_writes(info);
  return info;
}

TensorInfo* TensorTable::find_known(const void* impl) {
  const auto found = tensors_.find(impl);
  return found == tensors_.end() ? nullptr : &found->second;
}

void TensorTable::made(TensorInfo& info, const std::shared_ptr<Call>& maker, const Rows& depends) {
  info.made = true;
  info.unfilled = false;
  info.read = false;
  info.maker = maker;
  info.depends = depends;
  info.outputs.clear();
  if (info.storage && !info.storage->seen) settle(info, Written::whole);
}

void TensorTable::written(TensorInfo& info, const std::shared_ptr<Call>& maker, const Rows& depends, Written part) {
  made(info, maker, depends);
  if (!info.storage) return;
  settle(info, part);
  info.storage_version = ++info.storage->version;
}

void TensorTable::settle(const TensorInfo& info, Written part) {
  StorageInfo& storage = *info.storage;
  storage.seen = true;
  storage.made = true;
  storage.maker = info.maker;
  storage.writer = info.uid;
  if (part == Written::whole) storage.depends.clear();
  merge(storage.depends, info.depends);
}

void TensorTable::forget_all() {
  tensors_.clear();
  storages_.clear();
}

void TensorTable::sweep() {
  if (tensors_.size() < sweep_at_) return;
  std::erase_if(tensors_, [](const auto& entry) { return entry.second.weak->expired(); });
  std::erase_if(storages_, [](const auto& entry) { return entry.second->weak->expired(); });
  sweep_at_ = tensors_.size() + std::max(sweep_after, tensors_.size() / 8);
}

}  // namespace goldentrace
