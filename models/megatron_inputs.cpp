#include "models/megatron_inputs.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/record_function.h>

#include "models/attention_core.h"
#include "models/option_check.h"

namespace goldentrace {
namespace {

constexpr std::int64_t unused_prefix = -1;  // fills rows with fewer documents

// Half-open.
struct Document {
  std::int64_t begin = 0, end = 0;
  bool ended = false;  // by its own end token
};

const std::int64_t* row_of(const at::Tensor& table, std::int64_t row) {
  return table.const_data_ptr<std::int64_t>() + row * table.size(1);
}

// The documents of a row of ids, each with the token that ends it.
std::vector<Document> documents_of(const at::Tensor& ids, std::int64_t row, std::int64_t end_token) {
  std::vector<Document> documents{{}};
  for (std::int64_t i = 0; i < ids.size(1); ++i) {
    documents.back().end = i + 1;
    if (row_of(ids, row)[i] != end_token) continue;
    documents.back().ended = true;
    if (i + 1 < ids.size(1)) documents.push_back({i + 1, i + 1});
  }
  return documents;
}

at::Tensor contiguous_table(const at::Tensor& table) {
  return (table.dim() == 1 ? table.unsqueeze(1) : table).contiguous();
}

class Rows {
 public:
  Rows(const MegatronConfig& config, const GptBatch& batch)
      : config_(config), batch_(batch), ids_(batch.ids.contiguous()) {
    if (batch.prefixes.defined()) prefixes_ = contiguous_table(batch.prefixes);
    const std::int64_t b = ids_.size(0), s = ids_.size(1);
    masked_ = visible_tokens(MaskRule::causal, {}, s).logical_not().expand({b, 1, s, s}).contiguous();
    positions_ = at::arange(s, at::kLong).expand({b, s}).contiguous();
    loss_mask_ = at::ones({b, s}, at::kFloat);
    for (std::int64_t row = 0; row < b; ++row) fill(row);
    if (batch.labels.defined()) loss_mask_.masked_fill_(batch.labels.eq(ignored_label), 0);
    if (batch.mask.defined()) masked_.logical_or_(batch.mask.eq(0).view({b, 1, 1, s}));
  }

  MegatronInputs inputs() const {
    const bool prefixes = prefixes_.defined();
    MegatronInputs inputs;
    if (prefixes || config_.reset_attention_mask) inputs.masked = masked_;
    if (config_.reset_position_ids) inputs.position_ids = positions_;
    if (prefixes || config_.eod_mask_loss) inputs.loss_mask = loss_mask_;
    if (prefixes && config_.prefix_rule == PrefixRule::main) {
      const auto b = static_cast<double>(ids_.size(0)), s = static_cast<double>(ids_.size(1));
      inputs.loss_divisor = config_.loss_on_targets_only ? b * (s + 1) / 2 : b * s;
    }
    return inputs;
  }

 private:
  void fill(std::int64_t row) {
    const std::vector<Document> documents = documents_of(ids_, row, config_.end_of_document());
    for (const Document& document : documents) {
      if (config_.reset_position_ids)
        positions_[row].slice(0, document.begin).copy_(at::arange(ids_.size(1) - document.begin, at::kLong));
      if (config_.reset_attention_mask && document.begin > 0)
        masked_[row][0].slice(0, document.begin).slice(1, 0, document.begin).fill_(true);
      if (config_.eod_mask_loss && document.ended) loss_mask_[row][document.end - 1] = 0;
    }
    if (prefixes_.defined()) fill_prefixes(row, documents);
    if (config_.reweight_loss_based_on_position_frequency) reweight(row);
  }

  void fill_prefixes(std::int64_t row, const std::vector<Document>& documents) {
    for (std::int64_t i = 0; i < prefixes_.size(1); ++i) {
      const std::int64_t prefix = row_of(prefixes_, row)[i];
      if (prefix == unused_prefix) continue;
      const std::int64_t begin = config_.reset_attention_mask ? documents[static_cast<std::size_t>(i)].begin : 0;
      masked_[row][0].slice(0, begin, prefix).slice(1, begin, prefix).fill_(false);
      if (!config_.loss_on_targets_only) continue;
      const std::int64_t first_target = config_.prefix_rule == PrefixRule::main ? prefix - 1 : prefix;
      loss_mask_[row].slice(0, begin, first_target).fill_(0);
    }
  }

  void reweight(std::int64_t row) {
    const auto s = static_cast<double>(ids_.size(1));
    loss_mask_[row].mul_(at::arange(ids_.size(1), at::kFloat).neg().add(s).mul(2 / (s + 1)));
  }

  const MegatronConfig& config_;
  const GptBatch& batch_;
  at::Tensor ids_, prefixes_, masked_, positions_, loss_mask_;
};

void require_prefix(bool condition, std::int64_t row, std::int64_t index, std::int64_t prefix,
                    const std::string& rule) {
  if (!condition)
    require(false, "prefixes[" + std::to_string(row) + ", " + std::to_string(index) + "] is " + std::to_string(prefix) +
                       ", " + rule);
}

void check_row(const MegatronConfig& config, const GptBatch& batch, const at::Tensor& prefixes, std::int64_t row) {
  const std::int64_t s = batch.ids.size(1), older = config.prefix_rule == PrefixRule::older ? 1 : 0;
  std::vector<Document> documents{{0, s}};
  if (config.reset_attention_mask) documents = documents_of(batch.ids.contiguous(), row, config.end_of_document());
  std::size_t given = 0;
  for (std::int64_t i = 0; i < prefixes.size(1); ++i) {
    const std::int64_t prefix = row_of(prefixes, row)[i];
    if (prefix == unused_prefix) continue;
    require_prefix(static_cast<std::size_t>(i) < documents.size(), row, i, prefix,
                   "the row has " + std::to_string(documents.size()) + " documents");
    const Document& document = documents[static_cast<std::size_t>(i)];
    const std::int64_t first = document.begin + 1 - older, last = document.end - older;
    require_prefix(prefix >= first && prefix <= last, row, i, prefix,
                   "not in " + std::to_string(first) + " … " + std::to_string(last));
    ++given;
  }
  require(given > 0, "row " + std::to_string(row) + " has no prefix");
}

}  // namespace

MegatronInputs megatron_inputs(const MegatronConfig& config, const GptBatch& batch) {
  const at::DisableRecordFunctionGuard unobserved;
  return Rows(config, batch).inputs();
}

void check_prefixes(const MegatronConfig& config, const GptBatch& batch) {
  const at::DisableRecordFunctionGuard unobserved;
  if (!batch.prefixes.defined()) {
    require(!config.has_prefixes(), "prefix-LM needs the prefix lengths of each row: give prefixes");
    return;
  }
  const at::Tensor prefixes = contiguous_table(batch.prefixes);
  require(prefixes.scalar_type() == at::kLong && prefixes.dim() == 2 && prefixes.size(0) == batch.ids.size(0),
          "prefixes must be int64 of shape [batch] or [batch, documents]");
  for (std::int64_t row = 0; row < prefixes.size(0); ++row) check_row(config, batch, prefixes, row);
}

}  // namespace goldentrace
