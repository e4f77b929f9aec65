// Top-level ops: what they read and made, and their line on the tape.
#pragma once

#include <ATen/record_function.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "recorder/gradients.h"
#include "recorder/op_traits.h"
#include "recorder/session.h"

namespace goldentrace {

// An op that is running on a thread.
struct RunningOp : at::ObserverContext {
  std::uint64_t generation = 0;
  ThreadState* thread = nullptr;
  const OpTraits* traits = nullptr;
  std::shared_ptr<Call> reader;  // innermost recorded call around it, or the root; null: nothing is recorded
  TapeOp op;
  std::string unsupported;  // why the op cannot be written down
  std::vector<OpArgument> arguments;
  Rows depends;
  std::uint64_t first_node = 0;
  int exceptions = 0;  // in flight when it began
};

// Null when the op is not followed: inside another op, or part of a backward. Captures what crosses the border of a
// layer before the op runs. Neither function throws.
std::unique_ptr<RunningOp> begin_op(Session& session, ThreadState& thread, const at::RecordFunction& function) noexcept;
void end_op(Session& session, RunningOp& running, const at::RecordFunction& function) noexcept;

}  // namespace goldentrace
