// Constant factors of one tap over the layers of a model.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "diff/judged_pairs.h"
#include "diff/report.h"

namespace goldentrace {

struct LayerRatio {
  std::int64_t layer = 0;  // its number
  double ratio = 0;        // of B to A
};

// Of the root and of the records that stand for it in later layers (layers.1.x, layers.2.x …) as far as they differ:
// the ratios of B to A that were measured. Empty where the root's layer has no number.
std::vector<LayerRatio> ratios_by_layer(JudgedPairs& pairs, std::int64_t root);

// "score ratio 1/2, 1/3 by layer: query-key layer scaling not undone" where scores are divided by the number of their
// layer, counted from 0 or from 1, in one trace only; "ratio 2, 2 by layer" of other taps, where the factor is the same
// in two layers or more and not near 1.
std::optional<Diagnosis> layer_ratio_hint(const std::string& tap, std::span<const LayerRatio> ratios);

}  // namespace goldentrace
