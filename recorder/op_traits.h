// What the schema of an op says about its arguments, looked up once per op.
#pragma once

#include <ATen/record_function.h>

#include <cstddef>
#include <string>
#include <vector>

namespace goldentrace {

struct ArgumentTraits {
  bool written = false;
  bool overwritten = false;        // every element is written and none is read
  bool viewed = false;             // the result is a view of it
  std::ptrdiff_t written_if = -1;  // written when this boolean argument is true (batch norm's running statistics)
};

struct OpTraits {
  std::string name;
  std::string overload;
  std::vector<ArgumentTraits> arguments;
  bool unfilled = false;  // aten::empty and its kin: the result has no content yet
  bool returns_nothing = false;
  std::string refusal;  // why no other process can run it; empty: it can
};

// Null for events that are no ops, and for the profiler's own. The answer lives as long as the process.
const OpTraits* op_traits(const at::RecordFunction& function);

}  // namespace goldentrace
