// Deliberate faults: an extra op inside a layer, at its output.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace goldentrace {

enum class PlantKind { scale, offset, negate, swap_heads, shift, zero_row, nan, round_bf16 };

struct PlantSpec {
  PlantKind kind = PlantKind::negate;
  double value = 0;  // scale and offset
  std::string layer;
};

// "scale=1.01@layers.2". Error(usage) for an unknown kind, a missing or impossible value, or one that changes nothing.
PlantSpec parse_plant(const std::string& text);

// One fault of one run. `heads` is the number of attention heads of the model, 0 when it has none.
class Plant {
 public:
  Plant(PlantSpec spec, std::int64_t heads);

  // The output with the fault when `layer` is the planted one, made by ordinary differentiable ops; otherwise as it
  // is. Error(usage) when the fault means nothing for this tensor. To be called inside the layer's label.
  at::Tensor apply(const std::string& layer, at::Tensor output);

  // Error(usage) with the closest names when no call of apply() has named the planted layer so far.
  void check_seen() const;

 private:
  at::Tensor fault(const at::Tensor& output) const;

  PlantSpec spec_;
  std::int64_t heads_;
  bool seen_ = false;
  std::vector<std::string> layers_;
};

}  // namespace goldentrace
