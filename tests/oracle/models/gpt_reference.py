"""GPT2LMHeadModel of transformers, eager attention, trained for some steps and tapped at every layer."""

import torch
from transformers import GPT2Config, GPT2LMHeadModel


def make(seed=42, dtype=torch.float32, spread=0.0, **config):
    """The model that transformers builds after manual_seed(seed). spread > 0 also moves biases and norms off 0 and 1."""
    torch.manual_seed(seed)
    settings = dict(vocab_size=97, n_positions=48, n_embd=64, n_layer=2, n_head=2, bos_token_id=0, eos_token_id=0)
    model = GPT2LMHeadModel(GPT2Config(**{**settings, **config}, attn_implementation="eager"))
    if spread:
        generator = torch.Generator().manual_seed(1)
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.add_(torch.randn(parameter.shape, generator=generator) * spread)
    return model.to(dtype).train()


def taps(model):
    """Outputs of the modules by their layer label, filled at the next forward."""
    found, handles = {}, []

    def keep(name):
        def hook(module, inputs, output):
            found[name] = (output[0] if isinstance(output, tuple) else output).detach().clone()
        return hook

    for name, module in model.named_modules():
        label = name.removeprefix("transformer.")
        if name not in ("", "transformer", "transformer.h"):
            handles.append(module.register_forward_hook(keep(label)))
    return found, handles


def make_optimizer(model, name, lr):
    if name == "adamw":
        return torch.optim.AdamW(model.parameters(), lr=lr, foreach=False)
    return torch.optim.SGD(model.parameters(), lr=lr, foreach=False)


def train(model, ids, mask=None, labels=None, steps=1, optimizer="sgd", lr=0.01):
    """What run_model writes for the GPT, under the same names. labels: never shifted; None: labels=ids."""
    out = {"init." + name: value.detach().clone() for name, value in model.named_parameters()}
    update = make_optimizer(model, optimizer, lr)
    losses = []
    for step in range(steps):
        update.zero_grad()
        found, handles = taps(model)
        given = {"labels": ids} if labels is None else {"labels": ids, "shift_labels": labels}
        result = model(input_ids=ids, attention_mask=mask, use_cache=False, **given)
        for handle in handles:
            handle.remove()
        result.loss.backward()
        if step == 0:
            out.update({"tap." + name: value for name, value in found.items()})
            out.update({"grad." + name: value.grad.clone() for name, value in model.named_parameters()})
        update.step()
        losses.append(result.loss.detach().double())
    out["losses"], out["logits"] = torch.stack(losses), result.logits.detach()
    out.update({"param." + name: value.detach() for name, value in model.named_parameters()})
    return out
