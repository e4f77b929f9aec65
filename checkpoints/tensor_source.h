// A tensor that is about to be written: its bytes are made when the writer asks for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "traces/dtype.h"

namespace goldentrace {

using ByteSink = std::function<void(std::span<const std::byte>)>;

struct TensorSource {
  std::string name;
  DType dtype = DType::none;
  std::vector<std::int64_t> shape;
  // Gives the sink the row-major bytes, in one or several pieces.
  std::function<void(const ByteSink&)> write;
};

// Error(usage) for a negative extent or more than 2^63 - 1 bytes.
std::uint64_t byte_count(const TensorSource& source);

}  // namespace goldentrace
