// A labelled part of a model: what recorders and profilers know as a layer.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/record_function.h>

#include <string>
#include <utility>

#include "models/events.h"

namespace goldentrace {

// Runs body() inside the label `name` and returns its output, which events may alter before it leaves the label.
template <class Body>
at::Tensor layer(const Events& events, const std::string& name, Body&& body) {
  RECORD_USER_SCOPE(name);
  return events.altered(name, std::forward<Body>(body)());
}

}  // namespace goldentrace
