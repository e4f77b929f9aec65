"""The BLOOM shape against BloomForCausalLM of transformers (eager): logits, loss and every layer bit for bit. Gradients
within rounding: transformers has a formula of its own for the backward of GELU, ours is autograd's."""

import pytest
import torch

import bloom_reference
import judge
from test_gpt import padding, some_ids

TOLERANCE = {torch.float32: 2e-5, torch.float64: 2e-5, torch.bfloat16: 0.1, torch.float16: 0.02}  # of the largest


def check(folder, dtype=torch.float32, mask=None, at_least=30, ours_only=None, **config):
    model = bloom_reference.make(dtype=dtype, **config)
    model.save_pretrained(folder / "checkpoint")
    inputs = judge.save_inputs(folder, some_ids(), mask)
    ours, _ = judge.run("gpt", folder, inputs, shape="bloom", checkpoint=folder / "checkpoint",
                        dtype=str(dtype).removeprefix("torch."), **(ours_only or {}))
    theirs, gradients = bloom_reference.run(model, some_ids(), mask)
    judge.assert_equal_bits(ours, theirs, at_least)
    for name, gradient in gradients.items():
        worst = (ours[name].double() - gradient.double()).abs().max() / gradient.double().abs().max()
        assert worst < TOLERANCE[dtype], f"{name}: {worst:.3g}"


@pytest.mark.parametrize("side", [None, "right", "left"])
def test_float32(tmp_path, side):
    check(tmp_path, mask=padding(some_ids(), side) if side else None)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
def test_other_dtypes(tmp_path, dtype):
    check(tmp_path, dtype)


@pytest.mark.parametrize("option", [
    dict(n_head=8), dict(hidden_size=96, n_head=12), dict(layer_norm_epsilon=1e-3),
    dict(apply_residual_connection_post_layernorm=True), dict(pretraining_tp=2), dict(slow_but_exact=True),
    dict(tie_word_embeddings=False)], ids=str)
def test_options(tmp_path, option):
    check(tmp_path, **option)


@pytest.mark.parametrize("ranks", [2, 4])
def test_slow_but_exact_loses_biases_in_transformers(tmp_path, ranks):
    """The preset slow_bias=dropped does as transformers does, whose taps of dense are those of no module."""
    check(tmp_path, at_least=20, ours_only={"slow_bias": "dropped"}, slow_but_exact=True, pretraining_tp=ranks)


@pytest.mark.parametrize("ranks", [2, 4])
def test_slow_but_exact_adds_the_biases(tmp_path, ranks):
    """Without biases both agree; with them ours is the sum of slices, and then the bias."""
    model = bloom_reference.make(slow_but_exact=True, pretraining_tp=ranks)
    model.save_pretrained(tmp_path / "checkpoint")
    inputs = judge.save_inputs(tmp_path, some_ids())
    ours, _ = judge.run("gpt", tmp_path, inputs, shape="bloom", checkpoint=tmp_path / "checkpoint")
    dense = model.transformer.h[0].self_attention.dense
    context = ours["tap.h.0.self_attention.context"]
    width = context.shape[-1] // ranks
    total = torch.zeros_like(context)
    with torch.no_grad():
        for rank in range(ranks):
            columns = slice(rank * width, (rank + 1) * width)
            total = total + torch.nn.functional.linear(context[..., columns], dense.weight[:, columns])
        judge.assert_equal_bits(ours, {"tap.h.0.self_attention.dense": total + dense.bias}, 1)
