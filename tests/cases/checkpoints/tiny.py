"""The model TINY of the cases as checkpoints: in Megatron's layouts and in transformers'."""

import argparse
import json
import math
import struct

import torch

LAYERS, HIDDEN, HEADS, FFN, VOCAB, POSITIONS = 2, 8, 2, 16, 11, 5
NORMS = ("input_layernorm", "post_attention_layernorm")
HF_NAMES = {"input_layernorm": "ln_1", "self_attention.query_key_value": "attn.c_attn",
            "self_attention.dense": "attn.c_proj", "post_attention_layernorm": "ln_2",
            "mlp.dense_h_to_4h": "mlp.c_fc", "mlp.dense_4h_to_h": "mlp.c_proj"}
TOP_NAMES = {"word_embeddings.weight": "transformer.wte.weight", "position_embeddings.weight": "transformer.wpe.weight",
             "final_layernorm.weight": "transformer.ln_f.weight", "final_layernorm.bias": "transformer.ln_f.bias",
             "head.weight": "lm_head.weight"}
CONFIG = {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "vocab_size": VOCAB, "n_positions": POSITIONS,
          "n_embd": HIDDEN, "n_layer": LAYERS, "n_head": HEADS, "n_inner": FFN, "activation_function": "gelu_fast",
          "layer_norm_epsilon": 1e-5, "embd_pdrop": 0.0, "attn_pdrop": 0.0, "resid_pdrop": 0.0,
          "tie_word_embeddings": False}


def shapes():
    """Names and shapes in the order of the formula; query_key_value rows as [q,k,v][head][head size]."""
    yield "word_embeddings.weight", (VOCAB, HIDDEN)
    yield "position_embeddings.weight", (POSITIONS, HIDDEN)
    for i in range(LAYERS):
        for name, rows, columns in (("input_layernorm", HIDDEN, None),
                                    ("self_attention.query_key_value", 3 * HIDDEN, HIDDEN),
                                    ("self_attention.dense", HIDDEN, HIDDEN),
                                    ("post_attention_layernorm", HIDDEN, None),
                                    ("mlp.dense_h_to_4h", FFN, HIDDEN), ("mlp.dense_4h_to_h", HIDDEN, FFN)):
            yield f"layers.{i}.{name}.weight", (rows, columns) if columns else (rows,)
            yield f"layers.{i}.{name}.bias", (rows,)
    yield "final_layernorm.weight", (HIDDEN,)
    yield "final_layernorm.bias", (HIDDEN,)
    yield "head.weight", (VOCAB, HIDDEN)


def formula(n, shape):
    k = 0.37 + 0.11 * n
    values = [0.3 * math.sin(1 + i * k) for i in range(math.prod(shape))]
    return torch.tensor(values, dtype=torch.float64).to(torch.float32).reshape(shape)


def thirds():
    """Linears [out, in], query_key_value rows as transformers has them."""
    return {name: formula(n, shape) for n, (name, shape) in enumerate(shapes())}


def to_hf(weights):
    state = {}
    for name, tensor in weights.items():
        stem, _, kind = name.rpartition(".")
        if name in TOP_NAMES:
            state[TOP_NAMES[name]] = tensor.contiguous()
            continue
        _, layer, inner = stem.split(".", 2)
        if tensor.dim() == 2:
            tensor = tensor.t()
        state[f"transformer.h.{layer}.{HF_NAMES[inner]}.{kind}"] = tensor.contiguous()
    return state


def to_megatron(weights):
    """Rows as [head][q,k,v][head size]: versions 2 and 3."""
    def rows(tensor):
        return tensor.reshape(3, HEADS, HIDDEN // HEADS, *tensor.shape[1:]).transpose(0, 1).reshape(tensor.shape)
    return {name: rows(tensor) if "query_key_value" in name else tensor for name, tensor in weights.items()}


def arguments(**more):
    return argparse.Namespace(num_layers=LAYERS, hidden_size=HIDDEN, num_attention_heads=HEADS, ffn_hidden_size=FFN,
                              max_position_embeddings=POSITIONS, seq_length=POSITIONS, padded_vocab_size=VOCAB,
                              tensor_model_parallel_size=1, layernorm_epsilon=1e-5, bias_gelu_fusion=True,
                              openai_gelu=False, position_embedding_type="absolute", embed_layernorm=False,
                              hidden_dropout=0.0, attention_dropout=0.0, glu_activation=None,
                              untie_embeddings_and_output_weights=True, **more)


def write_pipe(folder, **more):
    """A Megatron-DeepSpeed directory with a tied head (its layout has no other), as upstream saves it."""
    weights = {name: tensor for name, tensor in to_megatron(thirds()).items() if name != "head.weight"}
    step = folder / "global_step5"
    step.mkdir(parents=True)
    (folder / "latest").write_text("global_step5")
    files = {1: {k: v for k, v in weights.items() if "embeddings" in k},
             4 + LAYERS: {k.rpartition(".")[2]: v for k, v in weights.items() if "final_layernorm" in k}}
    for i in range(LAYERS):
        start = f"layers.{i}."
        files[3 + i] = {k.removeprefix(start): v for k, v in weights.items() if k.startswith(start)}
    for index, content in files.items():
        torch.save(content, step / f"layer_{index:02d}-model_00-model_states.pt")
    args = arguments(**more)
    args.untie_embeddings_and_output_weights = False
    torch.save({"args": args, "checkpoint_version": 3.0, "iteration": 5}, step / "mp_rank_00_model_states.pt")
    return step


def write_classic(folder, **more):
    """A Megatron-LM directory, one rank, untied head. `more` goes into the file beside the model."""
    weights = to_megatron(thirds())
    place = folder / "iter_0000005" / "mp_rank_00"
    place.mkdir(parents=True)
    (folder / "latest_checkpointed_iteration.txt").write_text("5")
    embedding = {"word_embeddings": {"weight": weights["word_embeddings.weight"]},
                 "position_embeddings": {"weight": weights["position_embeddings.weight"]}}
    encoder = {k: v for k, v in weights.items() if "embeddings" not in k and k != "head.weight"}
    model = {"language_model": {"embedding": embedding, "encoder": encoder,
                                "output_layer": {"weight": weights["head.weight"]}}}
    torch.save({"args": arguments(), "model": model, "checkpoint_version": 3.0, "iteration": 5} | more,
               place / "model_optim_rng.pt")
    return place / "model_optim_rng.pt"


def write_config(folder, **changes):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(CONFIG | changes))


DTYPES = {torch.float32: "F32", torch.bfloat16: "BF16", torch.float16: "F16", torch.bool: "BOOL", torch.int64: "I64",
          torch.uint8: "U8"}


def raw(tensor):
    return tensor.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()


def safetensors_bytes(header, data):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def write_safetensors(path, tensors):
    header, data = {}, b""
    for name, tensor in tensors.items():
        content = raw(tensor)
        header[name] = {"dtype": DTYPES[tensor.dtype], "shape": list(tensor.shape),
                        "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(safetensors_bytes(header, data))


def write_hf(folder, tensors=None, **config):
    write_config(folder, **config)
    write_safetensors(folder / "model.safetensors", to_hf(thirds()) if tensors is None else tensors)
    return folder
