// What the self-check keeps of one call, and the replay that it is compared with.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "recorder/call.h"
#include "recorder/contents.h"
#include "traces/hash.h"

namespace goldentrace {

// Contiguous bytes of their own.
struct KeptBytes {
  DType dtype = DType::float32;
  Shape shape;
  std::vector<std::byte> bytes;
};

struct KeptExternal {
  Hash128 hash;
  KeptBytes content;     // of inputs and buffers
  at::Tensor parameter;  // itself: kept alive and read again
};

using RolePosition = std::pair<Role, std::int32_t>;

struct KeptCall {
  std::shared_ptr<Call> call;
  std::vector<std::shared_ptr<Call>> inner;
  at::Tensor random_state;
  std::map<RolePosition, KeptExternal> externals;
  std::map<std::int32_t, Hash128> outputs;         // by position
  std::map<std::int32_t, KeptBytes> grad_outputs;  // by position
  std::map<RolePosition, Hash128> shares;          // by role and position of the external
};

KeptBytes keep_bytes(const Contents& contents);

// What the replay of the call gave differently: "output 0", "gradient of input 1"; empty: all is bit-equal.
// Error when it cannot be replayed. Runs on the calling thread with recording off.
std::string difference_on_replay(const KeptCall& kept);

}  // namespace goldentrace
