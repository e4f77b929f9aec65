// Ops and their arguments as people read them, and what is known of their schemas.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "traces/tape.h"

namespace goldentrace {

// "layer_norm" of "aten::layer_norm"; other namespaces stay.
std::string short_name(const TapeOp& op);

// "eps" for argument 4 of aten::layer_norm; "argument 4" where the schema is not in the table.
std::string argument_name(const TapeOp& op, std::size_t number);

// A value without tensors: "1e-05", "'tanh'", "[768]"; tensors inside are written by their names in the tape.
std::string argument_text(const Tape& tape, const Argument& argument);

// "mul(%4, 1.01)".
std::string call_text(const Tape& tape, const TapeOp& op);

// The op reads the default random generator: dropout in training, bernoulli, randn …
bool draws_random(const TapeOp& op);

}  // namespace goldentrace
