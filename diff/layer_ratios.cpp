#include "diff/layer_ratios.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>

#include "diff/number.h"

namespace goldentrace {

namespace {

// Later layers read what earlier ones changed, so that their ratio is only nearly constant.
constexpr double ratio_slack = 0.02;

bool is_nearly(double ratio, double expected) { return std::abs(ratio - expected) <= ratio_slack * std::abs(expected); }

// "layers.", 1, ".self_attention.scores".
struct NumberedLayer {
  std::string before;
  std::int64_t number = 0;
  std::string after;
};

std::optional<NumberedLayer> numbered_layer(const std::string& layer) {
  for (std::size_t begin = 0; begin <= layer.size();) {
    const std::size_t end = std::min(layer.size(), layer.find('.', begin));
    std::int64_t number = 0;
    const auto [stop, error] = std::from_chars(layer.data() + begin, layer.data() + end, number);
    if (error == std::errc{} && stop == layer.data() + end)
      return NumberedLayer{layer.substr(0, begin), number, layer.substr(end)};
    begin = end + 1;
  }
  return std::nullopt;
}

std::string ratio_word(double ratio) {
  constexpr double most = 64;
  const double whole = std::round(ratio);
  if (whole != 0 && std::abs(whole) <= most && is_nearly(ratio, whole)) return show(whole, 6);
  const double inverse = std::round(1 / ratio);
  if (inverse != 0 && std::abs(inverse) <= most && is_nearly(ratio, 1 / inverse)) return "1/" + show(inverse, 6);
  return show(ratio, 3);
}

std::string ratio_words(std::span<const LayerRatio> ratios) {
  std::string text;
  for (const LayerRatio& each : ratios) text += (text.empty() ? "" : ", ") + ratio_word(each.ratio);
  return text;
}

// How many layers from the first on have the ratio that a rule says.
std::size_t count_following(std::span<const LayerRatio> ratios, const std::function<double(double)>& rule) {
  const auto breaks = [&](const LayerRatio& each) {
    return !is_nearly(each.ratio, rule(static_cast<double>(each.layer)));
  };
  return static_cast<std::size_t>(std::ranges::find_if(ratios, breaks) - ratios.begin());
}

std::optional<Diagnosis> scaled_scores_hint(std::span<const LayerRatio> ratios) {
  const std::function<double(double)> from_one = [](double layer) { return layer + 1; };
  const std::function<double(double)> from_zero = [](double layer) { return std::max(1.0, layer); };
  for (const bool in_b : {true, false}) {
    for (const auto& coefficient : {from_one, from_zero}) {
      const auto rule = [&](double layer) { return in_b ? 1 / coefficient(layer) : coefficient(layer); };
      const std::size_t count = count_following(ratios, rule);
      if (count == 0) continue;
      return Diagnosis{"layer-ratio",
                       "score ratio " + ratio_words(ratios.first(count)) + " by layer: query-key layer scaling " +
                           (in_b ? "not undone" : "of A not undone"),
                       false, ratios.front().ratio};
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<LayerRatio> ratios_by_layer(JudgedPairs& pairs, std::int64_t root) {
  const RecordId wanted = pairs.a(root).id;
  const std::optional<NumberedLayer> first = numbered_layer(wanted.layer);
  if (!first) return {};
  std::vector<std::pair<std::int64_t, std::int64_t>> found;  // layer, pair
  for (std::int64_t pair = 0; pair < pairs.count(); ++pair) {
    if (pairs.states()[static_cast<std::size_t>(pair)] != PairState::differs) continue;
    RecordId id = pairs.a(pair).id;
    const std::optional<NumberedLayer> layer = numbered_layer(id.layer);
    if (!layer || layer->before != first->before || layer->after != first->after) continue;
    id.layer = wanted.layer;
    if (id == wanted && layer->number >= first->number) found.emplace_back(layer->number, pair);
  }
  std::ranges::sort(found);
  std::vector<LayerRatio> ratios;
  for (const auto& [layer, pair] : found) {
    const Judgement judgement = pairs.report(pair).judgement;
    if (!judgement.measured || !std::isfinite(judgement.comparison.ratio) || judgement.comparison.ratio == 0) break;
    ratios.push_back({layer, judgement.comparison.ratio});
  }
  return ratios;
}

std::optional<Diagnosis> layer_ratio_hint(const std::string& tap, std::span<const LayerRatio> ratios) {
  if (ratios.empty()) return std::nullopt;
  if (tap.ends_with("scores")) {
    if (auto hint = scaled_scores_hint(ratios)) return hint;
  }
  const double ratio = ratios.front().ratio;
  const std::size_t count = count_following(ratios, [ratio](double) { return ratio; });
  // Of a factor near 1 the layers behind show their own drift.
  if (count < 2 || is_nearly(ratio, 1)) return std::nullopt;
  return Diagnosis{"layer-ratio", "ratio " + ratio_words(ratios.first(count)) + " by layer", false, ratio};
}

}  // namespace goldentrace
