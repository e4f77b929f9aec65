// TINY, the GPT of the cases: 2 layers, hidden 8, 2 heads, 11 words, 5 positions, batch 2, weights by formula.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "models/gpt.h"

namespace goldentrace {

inline constexpr double tiny_clean_loss = 2.369936;

// Untied head, no dropout, one step of SGD; ids and labels of the cases. Weights are to be loaded or set.
GptOptions tiny_options();

// The same in the shape of Megatron: padded vocabulary of 11, layers counted from 0, no query-key layer scaling.
GptOptions tiny_megatron_options();

// By formula.h, drawn with out-features first; here in the layout and under the keys of transformers.
NamedTensors tiny_weights(std::int64_t layers = 2);

// tiny_weights() under Megatron's keys: linears [out, in], query_key_value rows as [head][q, k, v][head size].
NamedTensors tiny_megatron_weights(std::int64_t layers = 2);

// [q, k, v][head] rows as [head][q, k, v].
at::Tensor heads_from_thirds(const at::Tensor& thirds, std::int64_t heads);

// Zeroes rows 0 and 1 of layer 0's first feed-forward weight and sets their biases to -2.70 and 2.27, where forms of
// GELU differ most.
void spread_tiny_gelu(NamedTensors& weights);
void spread_tiny_gelu_of_megatron(NamedTensors& weights);

void write_tiny_checkpoint(const std::filesystem::path& path, const NamedTensors& weights);

// An Events::parameter listener that overwrites each parameter with the weight of its name.
std::function<void(const std::string&, const at::Tensor&)> set_weights(NamedTensors weights);

// One that draws each parameter by formula, in the order in which a model names them, and stores what `arranged` makes
// of it.
std::function<void(const std::string&, const at::Tensor&)> set_by_formula(
    std::function<at::Tensor(const std::string&, at::Tensor)> arranged);

}  // namespace goldentrace
