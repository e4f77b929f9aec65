#include "models/mlp_sharding.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/linear.h>

#include <array>
#include <utility>
#include <vector>

#include "traces/error.h"

namespace goldentrace {
namespace {

using Flag = bool MlpSharding::*;
constexpr std::array<std::pair<std::string_view, Flag>, 3> flags{
    {{"batch", &MlpSharding::batch}, {"megatron-lm", &MlpSharding::megatron_lm}, {"fsdp", &MlpSharding::fsdp}}};

at::Tensor gathered(const MlpSharding& sharding, const at::Tensor& weight) {
  return sharding.fsdp ? at::cat(weight.chunk(sharding.devices, 0), 0) : weight;
}

// Each device has some rows.
template <typename Product>
at::Tensor by_rows(const MlpSharding& sharding, const at::Tensor& x, const Product& product) {
  if (!sharding.batch && !sharding.fsdp) return product(x);
  std::vector<at::Tensor> parts;
  for (const at::Tensor& rows : x.chunk(sharding.devices, 0)) parts.push_back(product(rows));
  return at::cat(parts, 0);
}

}  // namespace

void add_sharding(MlpSharding& sharding, std::string_view name) {
  for (const auto& [known, flag] : flags)
    if (known == name) {
      sharding.*flag = true;
      return;
    }
  throw Error(ErrorCode::usage, "unknown sharding " + std::string(name) + "; known: batch, megatron-lm, fsdp");
}

std::string sharding_names(const MlpSharding& sharding) {
  std::string names;
  for (const auto& [name, flag] : flags)
    if (sharding.*flag) names += (names.empty() ? "" : ",") + std::string(name);
  return names;
}

at::Tensor column_parallel_linear(const MlpSharding& sharding, const at::Tensor& x, const Affine& affine) {
  const at::Tensor weight = gathered(sharding, affine.weight);
  return by_rows(sharding, x, [&](const at::Tensor& rows) {
    if (!sharding.megatron_lm) return at::linear(rows, weight, affine.bias);
    const auto weights = weight.chunk(sharding.devices, 0), biases = affine.bias.chunk(sharding.devices, 0);
    std::vector<at::Tensor> columns;
    for (std::size_t i = 0; i < weights.size(); ++i) columns.push_back(at::linear(rows, weights[i], biases[i]));
    return at::cat(columns, 1);
  });
}

at::Tensor row_parallel_linear(const MlpSharding& sharding, const at::Tensor& x, const Affine& affine) {
  const at::Tensor weight = gathered(sharding, affine.weight);
  return by_rows(sharding, x, [&](const at::Tensor& rows) {
    if (!sharding.megatron_lm) return at::linear(rows, weight, affine.bias);
    const auto weights = weight.chunk(sharding.devices, 1), columns = rows.chunk(sharding.devices, 1);
    at::Tensor sum = at::linear(columns[0], weights[0]);
    for (std::size_t i = 1; i < weights.size(); ++i) sum = sum.add(at::linear(columns[i], weights[i]));
    return sum.add(affine.bias);
  });
}

at::Tensor replicated_linear(const MlpSharding& sharding, const at::Tensor& x, const Affine& affine) {
  return by_rows(sharding, x, [&](const at::Tensor& rows) { return at::linear(rows, affine.weight, affine.bias); });
}

}  // namespace goldentrace
