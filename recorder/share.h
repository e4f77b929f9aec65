// A layer's own share of the gradient of one of its inputs or parameters.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>

#include "recorder/call.h"
#include "recorder/parameters.h"

namespace goldentrace {

struct Share {
  std::shared_ptr<Call> call;
  std::shared_ptr<Parameter> parameter;  // null for inputs
  Role role = Role::grad_input;
  std::int32_t position = 0;
  std::string index;
  std::int64_t value_row = -1;  // record of the input or parameter

  at::Tensor sum;  // undefined: nothing has arrived in the present backward

  // Adds in order of arrival, as the engine does, with recording and autograd off.
  void add(const at::Tensor& contribution);
};

}  // namespace goldentrace
