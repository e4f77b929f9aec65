#include "cli/diff_quality.h"

#include <CLI/CLI.hpp>

#include "cli/id_table.h"
#include "cli/number_option.h"

namespace goldentrace {

void add_quality_options(CLI::App& command, QualityOptions& quality, std::filesystem::path& targets) {
  const char* const group = "Quality of the logits";
  const auto limit = [&](const char* name, std::optional<double>& value, const char* description) {
    number_from(command.add_option(name, value, description), 0)->group(group);
  };
  command.add_flag("--quality", quality.wanted, "Report KL, top-1 agreement, perplexity, accuracy")->group(group);
  limit("--max-kl", quality.limits.max_kl, "Largest mean KL divergence of B from A, in nats");
  limit("--min-top1", quality.limits.min_top1, "Smallest share of positions with the same largest logit");
  limit("--max-perplexity-change", quality.limits.max_perplexity_change, "Largest relative change of perplexity");
  limit("--max-accuracy-drop", quality.limits.max_accuracy_drop, "Largest loss of documents with all targets right");
  limit("--min-equal", quality.limits.min_equal, "Smallest share of equal logits");
  command.add_option("--targets", targets, "Token ids to be predicted: .npy, or numbers as text (default: recorded)")
      ->type_name("FILE")
      ->group(group);
  command.add_option("--logits", quality.layer, "Layers whose outputs are logits (default: logits, lm_head)")
      ->type_name("GLOB")
      ->group(group);
}

void read_targets(const std::filesystem::path& path, QualityOptions& quality) {
  if (path.empty()) return;
  quality.targets = read_id_table(path).values;
  quality.targets_name = path.string();
  quality.wanted = true;
}

}  // namespace goldentrace
