#include "recorder/share.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/add.h>
#include <ATen/record_function.h>

namespace goldentrace {

void Share::add(const at::Tensor& contribution) {
  if (!sum.defined()) {
    sum = contribution;
    return;
  }
  const at::DisableRecordFunctionGuard unseen;
  const at::NoGradGuard no_grad;
  sum = at::add(sum, contribution);
}

}  // namespace goldentrace
