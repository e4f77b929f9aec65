// Writes pickles of protocol 2 with the values that torch.save writes for plain state dicts.
#pragma once

#include <string>
#include <vector>

#include "checkpoints/torch_writer.h"

namespace goldentrace {

// Tensors become storages "0", "1", … in the order in which they stand in `content`; pointers to them are appended to
// `storages`.
std::string pickle_of(const TorchDict& content, std::vector<const TensorSource*>& storages);

}  // namespace goldentrace
