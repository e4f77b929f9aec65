# needs: record
# Options of a model that make no sense together: one line each, exit 2, before anything runs.
sizes="--layers 1 --hidden 8 --heads 2 --vocab 11 --batch 1 --seq 4 -o run.h5 --quiet"
try() {
  shape=$1; shift; settings=""
  for each in "$@"; do settings="$settings --set $each"; done
  gtrace record gpt --shape $shape $sizes $settings > /dev/null || echo "$shape $*: exit $?"
}
m="try megatron"
$m prefix_lm=true
$m loss_on_targets_only=true
$m reweight_loss_based_on_position_frequency=true
$m prefix_rule=older
$m position_embedding_type=rotary position_embedding_type=alibi
$m position_embedding_type=rotary max_position_embeddings=8
$m position_embedding_type=rotary alibi_rule=missing
$m position_embedding_type=alibi rotary_inv_freq=model
$m position_embedding_type=rotary reset_position_ids=true
$m position_embedding_type=alibi reset_position_ids=true
$m alibi_rule=missing
$m bias_gelu_fusion=true glu_activation=swiglu
$m bias_gelu_fusion=true openai_gelu=true
$m openai_gelu=true onnx_safe=true
$m glu_activation=geglu openai_gelu=true
$m fp32_residual_connection=true
$m fp16_lm_cross_entropy=true
$m num_query_groups=3
$m tensor_model_parallel_size=3
$m pad_vocab_size_to=10
$m pad_vocab_size_to=16 make_vocab_size_divisible_by=8
h="try hf"
$h megatron_mode.scores=true reorder_and_upcast_attn=true
$h megatron_mode.scores=true score_rule=divide
$h megatron_mode.ln=true ln_variant=half-moments
$h megatron_mode=true activation_function=gelu
$h mask_rule=none mask_fill=-1
try bloom slow_bias=dropped
gtrace record gpt --shape hf $sizes --prefixes lengths > /dev/null; echo "exit $?"
echo "2" > lengths
gtrace record gpt --shape hf $sizes --prefixes lengths > /dev/null; echo "exit $?"
echo "1 2 3 4" > ids
gtrace record gpt --shape hf $sizes --tokens ids --prefixes lengths > /dev/null; echo "exit $?"
gtrace record gpt --shape bloom $sizes --tokens ids --prefixes lengths > /dev/null; echo "exit $?"
gtrace record gpt --shape megatron $sizes --tokens ids --prefixes lengths > /dev/null; echo "exit $?"
gtrace record gpt --shape megatron $sizes --positions 3 > /dev/null; echo "exit $?"
ls
