// A part of a model that keeps its input alone and is computed again during the backward pass.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

namespace goldentrace {

enum class Checkpointing { off, on };

// What the second computation draws from the CPU generator: what the first one drew, or what comes next.
enum class RecomputeDraws { repeated, fresh };

using LayerBody = std::function<at::Tensor(const at::Tensor& x)>;

// body(x) without the graph inside it: the backward pass runs body again on the same values and goes on through that
// graph (the reentrant form of PyTorch's checkpointing). Values and gradients have the bits of body(x) where body is a
// function of x, of tensors that nobody writes until then, and of repeated draws; `fresh` ones are a fault, for tests.
// The generator is left as the backward pass found it.
//
// Keeps x and body as long as the graph, so that what body refers to must live until the backward pass. body gives one
// tensor. Gradients come from backward(); grad() throws, because parameters inside body accumulate theirs. Where x
// requires no gradient, or gradients are off, nothing would start the second computation: body runs as it is.
at::Tensor checkpoint_layer(const at::Tensor& x, LayerBody body, RecomputeDraws draws = RecomputeDraws::repeated);

}  // namespace goldentrace
