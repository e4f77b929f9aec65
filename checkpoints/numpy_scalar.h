// NumPy's scalars inside pickles.
#pragma once

#include <string_view>

#include "checkpoints/pickle_builder.h"

namespace goldentrace {

// "numpy.core.multiarray.scalar" (normalised: numpy._core is numpy.core).
bool is_numpy_scalar(std::string_view qualified_name);

// scalar(dtype, bytes) as an integer or a floating number; other dtypes stay an object.
PickleRef numpy_scalar(PickleBuilder& builder, std::string_view callable, const PickleValue& arguments);

}  // namespace goldentrace
