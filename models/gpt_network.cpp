#include "models/gpt_network.h"

#include "models/bloom_model.h"
#include "models/gpt_model.h"
#include "models/gpt_shards.h"
#include "models/megatron_model.h"
#include "models/notify.h"

namespace goldentrace {
namespace {

void declare(const MegatronInputs& inputs, const Events& events) {
  if (inputs.masked.defined()) notify(events.input, "attention_mask", inputs.masked);
  if (inputs.position_ids.defined()) notify(events.input, "position_ids", inputs.position_ids);
  if (inputs.loss_mask.defined()) notify(events.input, "loss_mask", inputs.loss_mask);
}

GptForward run_megatron(const MegatronConfig& config, const GptParameters& parameters, const GptBatch& batch,
                        const Events& events, TensorParallel* ranks) {
  const MegatronInputs inputs = megatron_inputs(config, batch);
  declare(inputs, events);
  const at::Tensor logits = megatron_logits(config, parameters, batch, inputs, events, ranks);
  return {logits, megatron_loss(config, logits, batch.labels, inputs, events)};
}

}  // namespace

GptForward run_network(const GptOptions& options, const GptParameters& parameters, const GptBatch& batch,
                       const Events& events, TensorParallel* ranks) {
  if (options.kind == GptKind::megatron) {
    const MegatronConfig config = ranks ? shard_config(options.megatron, ranks->size()) : options.megatron;
    return run_megatron(config, parameters, batch, events, ranks);
  }
  const at::Tensor logits = options.kind == GptKind::hf
                                ? gpt_logits(options.config, parameters, batch.ids, batch.mask, events)
                                : bloom_logits(options.bloom, parameters, batch.ids, batch.mask, events);
  return {logits, gpt_loss(logits, batch.labels, events)};
}

}  // namespace goldentrace
