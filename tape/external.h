// The tensors that a tape starts from, made again from contiguous bytes.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <optional>
#include <span>
#include <vector>

#include "traces/tape.h"

namespace goldentrace {

// Content of one external value; the bytes are borrowed for the call, contiguous and row-major.
struct ExternalContent {
  DType dtype = DType::float32;
  Shape shape;
  std::span<const std::byte> bytes;
};

struct RestoreOptions {
  DType dtype = DType::none;          // floating (and complex) tensors move to it; none: the tape's dtypes
  std::optional<c10::Device> device;  // empty: CPU
};

// Rows of the tape's values with source `external`, in order.
std::vector<ValueIndex> external_values(const Tape& tape);

// contents[i] belongs to the i-th external value. The tensors have the tape's strides and offsets, and those with the
// same storage number share memory. Content of another dtype than the tape's is converted. A parameter or buffer that
// requires a gradient is a leaf; an input that does is no leaf, so that the layer may write into it.
// Error(incomparable) when a content's shape is not the tape's; Error(damaged) for impossible strides or byte counts.
std::vector<at::Tensor> restore_externals(const Tape& tape, const std::vector<ExternalContent>& contents,
                                          const RestoreOptions& options = {});

// A contiguous tensor on the CPU that owns a copy of the bytes.
at::Tensor tensor_from(const ExternalContent& content);

// Contiguous row-major bytes of a tensor on any device.
std::vector<std::byte> bytes_of(const at::Tensor& tensor);

}  // namespace goldentrace
