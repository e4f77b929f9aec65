// Parameters and buffers: which tensors they are, what they are called, which layer uses them first.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "recorder/call.h"
#include "recorder/tensor_table.h"

namespace goldentrace {

struct Parameter {
  Role role = Role::param;  // or buffer
  std::string name;         // full name; empty: not watched
  std::optional<WeakTensor> weak;

  std::string layer;  // innermost layer of the first use; empty: not used yet
  std::int32_t position = 0;
  std::string index;

  std::int64_t value_row = -1;        // its last record in a forward or recompute pass
  std::int64_t update_row = -1;       // its last record in an update
  std::int64_t total_row = -1;        // record of its total gradient in the present update
  Rows shares;                        // records of the layers' shares of its gradient since the last update
  std::shared_ptr<Content> content;   // its value
  std::shared_ptr<Content> gradient;  // the last share of its gradient
  at::Tensor kept;                    // itself, while its new value is waited for
};

// Not thread-safe: the session's lock is held around it.
class Parameters {
 public:
  void watch(const std::string& name, const at::Tensor& tensor, Role role);
  // All parameters are watched: other leaf tensors that require a gradient are inputs.
  void be_complete() { complete_ = true; }

  // The parameter or buffer that a tensor is, or a nameless alias of (`.data`); null when it is neither. Leaf tensors
  // that require a gradient and were computed from nothing recorded are parameters whether watched or not.
  std::shared_ptr<Parameter> of(const at::Tensor& tensor, const TensorInfo& info, Pass pass);
  // The parameter whose memory the tensor looks at, views included; null otherwise. Known ones only.
  Parameter* owner_of_memory(const at::Tensor& tensor) const;

  // Its name in a layer: without the layer's own name in front; a number for unnamed ones.
  static std::string name_in(const Parameter& parameter, const std::string& layer, std::int32_t position);
  // Its first use, which names its records in updates; later ones change nothing.
  void note_use(const std::shared_ptr<Parameter>& parameter, const std::string& layer);

  // In order of first use; those that are gone are left out.
  std::vector<std::shared_ptr<Parameter>> used() const;
  // The program may end before the values that its last update wrote are recorded.
  void forget_gone();  // between steps
  // What their values and gradients come from: they may have been written unseen.
  void forget_rows();
  void keep_alive();
  void let_go();

 private:
  std::shared_ptr<Parameter> add(const at::Tensor& tensor, Role role);
  void follow_storage(const std::shared_ptr<Parameter>& parameter, const at::Tensor& tensor);

  std::unordered_map<const c10::TensorImpl*, std::shared_ptr<Parameter>> by_tensor_;
  std::unordered_map<const void*, std::shared_ptr<Parameter>> by_storage_;
  std::vector<std::shared_ptr<Parameter>> used_;
  bool complete_ = false;
  std::unordered_map<std::string, std::int32_t> next_position_;
};

// "layers.0.weight" in layer "layers.0" (or in "0", or with "model." in front) is "weight"; else the full name.
std::string local_name(const std::string& full, const std::string& layer);

}  // namespace goldentrace
