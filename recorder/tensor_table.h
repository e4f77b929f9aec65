// Who every tensor is: which call made it, what its value depends on, which records hold it.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/StorageImpl.h>
#include <c10/util/intrusive_ptr.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "recorder/call.h"
#include "recorder/content.h"

namespace goldentrace {

// Rows of records, sorted, each once.
using Rows = std::vector<std::int64_t>;
void merge(Rows& into, const Rows& from);

using WeakTensor = c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>;

// Memory that one or more tensors look at. Writes are what recorded ops did, not the version counter, which misses
// writes through `.data`.
struct StorageInfo {
  std::uint64_t number = 0;
  std::optional<c10::weak_intrusive_ptr<c10::StorageImpl>> weak;
  bool seen = false;  // before the op that is looked at ran
  std::uint64_t version = 0;
  bool made = false;            // an op was seen making or writing it
  std::shared_ptr<Call> maker;  // call of the last write or of its creation; null: not recorded
  Rows depends;                 // what the last write depended on
  TensorUid writer = 0;         // tensor through which it was made or last written
};

struct TensorInfo {
  TensorUid uid = 0;
  std::optional<WeakTensor> weak;
  std::shared_ptr<StorageInfo> storage;  // null: the tensor has none
  std::uint64_t storage_version = 0;

  bool made = false;            // an op was seen making it
  bool unfilled = false;        // by empty(): its content is not known yet
  bool read = false;            // by an op since it was made or last written
  std::shared_ptr<Call> maker;  // null: nothing recorded made it
  Rows depends;                 // records that its value was computed from inside its maker
  std::vector<std::pair<std::shared_ptr<Call>, std::int64_t>> outputs;  // innermost first: records of it as an output
  std::int64_t declared = -1;                                           // its record as a declared model input
  const void* node = nullptr;                                           // its grad_fn when a recorded op last made it
  std::shared_ptr<Content> content;                                     // when it was captured last

  at::Tensor lock() const;  // undefined when it is gone
};

enum class Written { whole, part };  // of the storage

// Weak references keep the addresses from being reused while they are known, and nothing alive.
// Not thread-safe: the session's lock is held around it.
class TensorTable {
 public:
  // The entry of a defined tensor, made when it is met for the first time, brought up to date with writes that went
  // through other tensors on its storage. References stay valid until sweep().
  TensorInfo& find(const at::Tensor& tensor);
  // By address; null when it is not known.
  TensorInfo* find_known(const void* impl);

  // An op of `maker` returned the tensor: new, a view, or an argument handed through.
  void made(TensorInfo& info, const std::shared_ptr<Call>& maker, const Rows& depends);
  // An op of `maker` wrote into the tensor's storage.
  void written(TensorInfo& info, const std::shared_ptr<Call>& maker, const Rows& depends, Written part);

  // Forgets tensors that are gone, when enough has gathered. Call between ops.
  void sweep();
  // As if no tensor had been met yet; numbers go on. When ops were not seen.
  void forget_all();

 private:
  std::shared_ptr<StorageInfo> storage_of(c10::TensorImpl* impl);
  void begin(TensorInfo& info, const at::Tensor& tensor);
  bool on_known_storage(const TensorInfo& info, const c10::TensorImpl* impl) const;
  static void follow_writes(TensorInfo& info);
  static void settle(const TensorInfo& info, Written part);

  std::uint64_t next_uid_ = 1;
  std::uint64_t next_storage_ = 1;
  std::size_t sweep_at_ = 16;
  std::unordered_map<const void*, TensorInfo> tensors_;
  std::unordered_map<c10::StorageImpl*, std::shared_ptr<StorageInfo>> storages_;
};

}  // namespace goldentrace
