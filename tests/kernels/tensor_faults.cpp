#include "tests/kernels/tensor_faults.h"

#include <cmath>

#include "kernels/half.h"

namespace goldentrace::testing {
namespace {

std::size_t rows(const TensorSample& tensor) { return tensor.values.size() / tensor.columns; }

Errors no_errors(const TensorSample& tensor) { return Errors(tensor.values.size()); }

double mean_size(const TensorSample& tensor) {
  double sum = 0;
  for (const float value : tensor.values) sum += std::abs(value);
  return sum / static_cast<double>(tensor.values.size());
}

Errors noise(const TensorSample& tensor, Random& random) {
  Errors errors = no_errors(tensor);
  std::normal_distribution<double> normal;
  for (double& error : errors) error = normal(random);
  return errors;
}

Errors scale(const TensorSample& tensor, Random&) { return Errors(tensor.values.begin(), tensor.values.end()); }

Errors offset(const TensorSample& tensor, Random&) { return Errors(tensor.values.size(), mean_size(tensor)); }

Errors channel(const TensorSample& tensor, Random& random) {
  Errors errors = no_errors(tensor);
  const std::size_t column = random() % tensor.columns;
  for (std::size_t i = column; i < errors.size(); i += tensor.columns) errors[i] = tensor.values[i];
  return errors;
}

Errors row(const TensorSample& tensor, Random& random) {
  Errors errors = no_errors(tensor);
  const std::size_t first = random() % rows(tensor) * tensor.columns;
  for (std::size_t i = first; i < first + tensor.columns; ++i) errors[i] = -tensor.values[i];
  return errors;
}

// Two blocks of a quarter of the columns change places, as heads do.
Errors swapped_heads(const TensorSample& tensor, Random& random) {
  Errors errors = no_errors(tensor);
  const std::size_t width = std::max<std::size_t>(tensor.columns / 4, 1), heads = tensor.columns / width;
  const std::size_t one = random() % heads, other = (one + 1) % heads;
  for (std::size_t i = 0; i < errors.size(); i += tensor.columns) {
    for (std::size_t k = 0; k < width; ++k) {
      const double difference = tensor.values[i + other * width + k] - tensor.values[i + one * width + k];
      errors[i + one * width + k] = difference;
      errors[i + other * width + k] = -difference;
    }
  }
  return errors;
}

Errors rounded_to_bfloat16(const TensorSample& tensor, Random&) {
  Errors errors = no_errors(tensor);
  for (std::size_t i = 0; i < errors.size(); ++i) {
    errors[i] = bfloat16_to_float(to_bfloat16(tensor.values[i])) - tensor.values[i];
  }
  return errors;
}

// A few errors of any size, all in one block of the sketch.
Errors inside_one_block(const TensorSample& tensor, Random& random) {
  Errors errors = no_errors(tensor);
  constexpr std::size_t block = 256;
  const std::size_t first = random() % (errors.size() / block) * block;
  std::normal_distribution<double> normal;
  for (std::size_t i = 1 + random() % 16; i > 0; --i) errors[first + random() % block] = normal(random);
  return errors;
}

}  // namespace

const std::array<Fault, 8> faults{{{"noise", noise},
                                   {"uniform scale", scale},
                                   {"offset", offset},
                                   {"one channel scaled", channel},
                                   {"one row zero", row},
                                   {"swapped heads", swapped_heads},
                                   {"rounded to bfloat16", rounded_to_bfloat16},
                                   {"1-16 errors inside one block", inside_one_block}}};

Errors scattered_errors(const TensorSample& tensor, std::size_t count, Random& random) {
  Errors errors = no_errors(tensor);
  for (std::size_t placed = 0; placed < count;) {
    double& error = errors[random() % errors.size()];
    if (error != 0) continue;
    error = random() % 2 == 0 ? 1 : -1;
    ++placed;
  }
  return errors;
}

double norm(const Errors& errors) {
  double squares = 0;
  for (const double error : errors) squares += error * error;
  return std::sqrt(squares);
}

double spread(const Errors& errors) {
  double squares = 0, fourth_powers = 0;
  for (const double error : errors) {
    squares += error * error;
    fourth_powers += error * error * error * error;
  }
  return fourth_powers == 0 ? 0 : squares * squares / fourth_powers;
}

}  // namespace goldentrace::testing
