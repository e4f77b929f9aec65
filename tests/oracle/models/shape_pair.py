"""One model in Hugging Face's and in Megatron's form, and the taps of both in one layout. The conversion is written here
once more, apart from the one under test."""

import torch
from safetensors.torch import save_file

import judge


def draw(seed=0, layers=2, hidden=128, heads=4, positions=256, vocab=1031):
    """GPT-2's tensors, each N(0, 0.02) around its neutral value; what writes to the residual stream is narrower."""
    generator = torch.Generator().manual_seed(seed)

    def normal(*shape):
        return torch.randn(shape, generator=generator) * 0.02

    tensors = {"wte.weight": normal(vocab, hidden), "wpe.weight": normal(positions, hidden)}
    sizes = {"attn.c_attn": (hidden, 3 * hidden), "attn.c_proj": (hidden, hidden), "mlp.c_fc": (hidden, 4 * hidden),
             "mlp.c_proj": (4 * hidden, hidden)}
    for layer in range(layers):
        for norm in ("ln_1", "ln_2"):
            tensors[f"h.{layer}.{norm}.weight"] = 1 + normal(hidden)
            tensors[f"h.{layer}.{norm}.bias"] = normal(hidden)
        for name, shape in sizes.items():
            scale = (2 * layers) ** -0.5 if name.endswith("c_proj") else 1
            tensors[f"h.{layer}.{name}.weight"] = normal(*shape) * scale
            tensors[f"h.{layer}.{name}.bias"] = normal(shape[1])
    tensors["ln_f.weight"], tensors["ln_f.bias"] = 1 + normal(hidden), normal(hidden)
    return tensors


NAMES = {"wte": "word_embeddings", "wpe": "position_embeddings", "ln_f": "final_layernorm", "ln_1": "input_layernorm",
         "ln_2": "post_attention_layernorm", "attn.c_attn": "self_attention.query_key_value",
         "attn.c_proj": "self_attention.dense", "mlp.c_fc": "mlp.dense_h_to_4h", "mlp.c_proj": "mlp.dense_4h_to_h"}


def interleave(columns, heads):
    """Last dimension (3, heads, size) -> (heads, 3, size)."""
    parts = columns.unflatten(-1, (3, heads, -1))
    return parts.transpose(-3, -2).flatten(-3)


def to_megatron(tensors, heads=4):
    result = {}
    for key, value in tensors.items():
        name, kind = key.rsplit(".", 1)
        layer, _, part = name.removeprefix("h.").partition(".")
        target = f"layers.{layer}.{NAMES[part]}" if name.startswith("h.") else NAMES[name]
        if part == "attn.c_attn":
            value = interleave(value, heads)
        if value.dim() == 2 and name.startswith("h."):
            value = value.t()
        result[f"{target}.{kind}"] = value.contiguous()
    return result


def write(folder, tensors, heads=4):
    save_file(tensors, str(folder / "hf.safetensors"))
    save_file(to_megatron(tensors, heads), str(folder / "megatron.safetensors"))


def run_megatron(folder, inputs, dtype, layers=2, hidden=128, heads=4, positions=256, vocab=1031, **options):
    (folder / "megatron").mkdir(exist_ok=True)
    taps, _ = judge.run("gpt", folder / "megatron", inputs, shape="megatron", checkpoint=folder / "megatron.safetensors",
                        dtype=dtype, num_layers=layers, hidden_size=hidden, num_attention_heads=heads, vocab_size=vocab,
                        max_position_embeddings=positions, pad_vocab_size_to=vocab, attention_dropout=0,
                        hidden_dropout=0, **options)
    return taps


def run_hf(folder, inputs, dtype, layers=2, hidden=128, heads=4, positions=256, vocab=1031, **options):
    (folder / "hf").mkdir(exist_ok=True)
    taps, _ = judge.run("gpt", folder / "hf", inputs, shape="hf", checkpoint=folder / "hf.safetensors", dtype=dtype,
                        n_layer=layers, n_embd=hidden, n_head=heads, vocab_size=vocab, n_positions=positions,
                        embd_pdrop=0, attn_pdrop=0, resid_pdrop=0, **options)
    return taps


def paired(megatron, hf, tensors, separate_bias, heads=4, layers=2):
    """(label, Megatron's tap, Hugging Face's) in the order of the forward pass, both as [batch, sequence, …]. A
    projection that Hugging Face gives with its bias is compared after adding Megatron's; scores where they are seen."""
    def first(name):
        return megatron["tap." + name].transpose(0, 1)

    def biased(name, key):
        value = first(name)
        return value if separate_bias else value + tensors[key + ".bias"].to(value.dtype)

    yield "embedding.word", megatron["tap.embedding.word"], hf["tap.wte"]
    yield "embedding", megatron["tap.embedding"], hf["tap.drop"]
    for i in range(layers):
        ours, theirs, attention = f"layers.{i}", f"tap.h.{i}", f"layers.{i}.self_attention"
        yield f"L{i} ln_1", first(ours + ".input_layernorm"), hf[theirs + ".ln_1"]
        yield f"L{i} qkv", first(attention + ".query_key_value"), interleave(hf[theirs + ".attn.c_attn"], heads)
        yield f"L{i} scores", megatron[f"tap.{attention}.scores"].tril(), hf[f"{theirs}.attn.scores"].tril()
        yield f"L{i} probs", megatron[f"tap.{attention}.probs"], hf[f"{theirs}.attn.probs"]
        yield f"L{i} context", first(attention + ".context"), hf[theirs + ".attn.context"]
        yield f"L{i} attention out", biased(attention + ".dense", f"h.{i}.attn.c_proj"), hf[theirs + ".attn.c_proj"]
        yield f"L{i} attention residual", first(ours + ".attention_residual"), hf[theirs + ".attention_residual"]
        yield f"L{i} ln_2", first(ours + ".post_attention_layernorm"), hf[theirs + ".ln_2"]
        yield f"L{i} activation", first(ours + ".mlp.activation"), hf[theirs + ".mlp.act"]
        yield f"L{i} mlp out", biased(ours + ".mlp.dense_4h_to_h", f"h.{i}.mlp.c_proj"), hf[theirs + ".mlp.c_proj"]
        yield f"L{i} output", first(ours), hf[theirs]
    yield "final norm", megatron["tap.final_layernorm"], hf["tap.ln_f"]
    yield "logits", megatron["logits"], hf["logits"].to(megatron["logits"].dtype)
    yield "loss", megatron["losses"], hf["losses"]


def first_difference(pairs):
    """The first label whose taps differ, the share of its elements that do, and the largest difference; None for none."""
    for label, ours, theirs in pairs:
        assert ours.shape == theirs.shape, f"{label}: {ours.shape} {theirs.shape}"
        unequal = judge.bits(ours) != judge.bits(theirs)
        unequal &= ~((ours == 0) & (theirs == 0))
        if unequal.any():
            return label, unequal.double().mean().item(), (ours.double() - theirs.double()).abs().max().item()
    return None
