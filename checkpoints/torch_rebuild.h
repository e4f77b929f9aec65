// torch's own functions inside pickles: what makes tensors of storages.
#pragma once

#include <string_view>

#include "checkpoints/pickle_classes.h"

namespace goldentrace {

// "torch._utils._rebuild_tensor_v2", "torch.FloatStorage", "torch.float32", "torch.Size" …
bool is_torch_class(std::string_view qualified_name);

// Error(damaged) for a tensor that does not lie inside its storage, Error(unsupported) for one that is no plain dense
// tensor.
PickleRef call_torch(PickleBuilder& builder, const StorageSource& storages, std::string_view name,
                     const PickleValue& arguments);

// The node of a storage from its persistent id: ("storage", type, key, location, elements).
PickleRef make_storage(PickleBuilder& builder, PickleRef persistent_id);

}  // namespace goldentrace
