// Eight kinds of fault, as the error that each adds to a tensor.
#pragma once

#include <array>
#include <random>
#include <string_view>
#include <vector>

#include "tests/kernels/recorded_tensors.h"

namespace goldentrace::testing {

using Random = std::mt19937_64;
using Errors = std::vector<double>;  // one per element

struct Fault {
  std::string_view name;
  Errors (*errors)(const TensorSample&, Random&);
};

extern const std::array<Fault, 8> faults;

// `count` errors of equal size at random places.
Errors scattered_errors(const TensorSample& tensor, std::size_t count, Random& random);

// Over how many elements the squared error spreads: n equal ones give n.
double spread(const Errors& errors);

double norm(const Errors& errors);

}  // namespace goldentrace::testing
