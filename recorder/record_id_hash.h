// Record ids as keys.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "traces/record_id.h"

namespace goldentrace {

struct RecordIdHash {
  std::size_t operator()(const RecordId& id) const {
    std::size_t hash = std::hash<std::string>()(id.layer) ^ std::hash<std::string>()(id.index) << 1;
    const auto mix = [&](std::int64_t number) {
      hash = (hash ^ static_cast<std::size_t>(number)) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 32;
    };
    mix(id.step);
    mix(id.micro);
    mix(id.rank);
    mix(id.call);
    mix(static_cast<std::int64_t>(id.pass) << 8 | static_cast<std::int64_t>(id.role));
    return hash;
  }
};

}  // namespace goldentrace
