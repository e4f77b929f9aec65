// Gradients of several slices of a batch added up, as a loop whose body is a function of its arguments (the semantics
// of torch_xla.experimental.gradient_accumulation).
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

namespace goldentrace {

// Given slice i of each iterable and the carried tensors: the loss, one element, and the carried tensors of the next
// iteration, as many and of the same shapes and dtypes.
using AccumulatedStep = std::function<std::vector<at::Tensor>(const std::vector<at::Tensor>& slices,
                                                              const std::vector<at::Tensor>& carried)>;

// Who divides each loss by the number of iterations; train_step may have a layer of its own for it.
enum class LossDivision { by_loop, by_train_step };

// Calls train_step for i = 0, 1 … over the leading dimension of the iterables, which must be equal, and the backward
// pass of its loss. The gradients of `parameters` (those that require one) are undefined while train_step runs. They
// are summed in order, ((0 + g_0) + g_1) …, and the sums are added to the gradients that there were, or become them.
//
// Gives the sum of the losses, which starts at a float32 0, and behind it the carried tensors of the last iteration, in
// their order, detached like all that is carried.
//
// Each iteration has a seed of its own for the CPU generator, drawn before the first one. The generator goes on behind
// those draws, or stands where it stood when no iteration drew anything.
//
// Error(usage) names the argument that is missing, empty, of another leading size, or written in place by train_step
// (parameters too; writes that pass by the version counter are not seen), and a result that is not as above. The
// gradients are then as before.
std::vector<at::Tensor> accumulate_gradients(const AccumulatedStep& train_step,
                                             const std::vector<at::Tensor>& iterables,
                                             const std::vector<at::Tensor>& parameters,
                                             std::vector<at::Tensor> carried = {},
                                             LossDivision division = LossDivision::by_loop);

}  // namespace goldentrace
