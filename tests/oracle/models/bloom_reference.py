"""BloomForCausalLM of transformers, eager attention, one step of SGD, tapped at every layer."""

import torch
from transformers import BloomConfig, BloomForCausalLM

import gpt_reference


def make(seed=42, dtype=torch.float32, **config):
    torch.manual_seed(seed)
    settings = dict(vocab_size=97, hidden_size=64, n_layer=3, n_head=4, bos_token_id=0, eos_token_id=0, pad_token_id=0)
    model = BloomForCausalLM(BloomConfig(**{**settings, **config}, attn_implementation="eager"))
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn(parameter.shape, generator=generator) * 0.05)
    return model.to(dtype).train()


def run(model, ids, mask=None):
    """Taps, logits, loss and gradients under run_model's names. Attention and MLP of transformers end with the sum."""
    found, handles = gpt_reference.taps(model)
    result = model(input_ids=ids, attention_mask=mask, labels=ids, use_cache=False)
    for handle in handles:
        handle.remove()
    result.loss.backward()
    out = {"tap." + name: value for name, value in found.items()
           if not name.endswith((".self_attention", ".mlp"))}
    out.update({"tap." + name.replace("self_attention", "attention_residual"): value for name, value in found.items()
                if name.endswith(".self_attention")})
    out["logits"], out["losses"] = result.logits.detach(), result.loss.detach().double().view(1)
    gradients = {"grad." + name: value.grad.clone() for name, value in model.named_parameters()
                 if value.grad is not None}
    return out, gradients
