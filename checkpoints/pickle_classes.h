// Which classes and functions a pickle may name, and the inert data that stands for calling them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "checkpoints/pickle_builder.h"

namespace goldentrace {

// Where the bytes of tensors are.
class StorageSource {
 public:
  virtual ~StorageSource() = default;
  // Error(damaged) when there is no storage of that key.
  virtual std::span<const std::byte> storage(std::string_view key) const = 0;
};

enum class UnknownClass {
  refuse,      // Error(unsupported) with the class's name
  keep_inert,  // an object with its name; still nothing is called
};

// Whether the name is on the list ("torch._utils._rebuild_tensor_v2", "argparse.Namespace",
// "megatron.enums.LayerType").
bool is_known_class(std::string_view qualified_name);

// What calling `callable` (a global) with the tuple `arguments` gives: a tensor, a dict, an object. Error(damaged) for
// arguments that do not fit.
PickleRef call_class(PickleBuilder& builder, const StorageSource& storages, PickleRef callable, PickleRef arguments);

}  // namespace goldentrace
