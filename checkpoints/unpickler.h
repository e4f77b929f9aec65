// Reads Python pickles, protocols 2 to 5, without running anything: classes are names, calls become data, and what is
// not on the list of known names is refused.
#pragma once

#include <cstddef>
#include <span>

#include "checkpoints/pickle_classes.h"
#include "checkpoints/pickle_value.h"

namespace goldentrace {

// Texts of the document lie in `pickle`, tensors in what `storages` gives; both must outlive it. Memory: pickle_memory
// plus a small rest, whatever the pickle says. Error(damaged) "byte N: what" for a stream that is no valid pickle,
// Error(unsupported) with the name of a class that is not known.
PickleDocument unpickle(std::span<const std::byte> pickle, const StorageSource& storages, UnknownClass unknown);

}  // namespace goldentrace
