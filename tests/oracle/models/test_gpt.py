"""The GPT against GPT2LMHeadModel of transformers (eager): logits, loss, every layer and every gradient, bit for bit."""

import pytest
import torch

import gpt_reference
import judge

SHAPE = dict(vocab_size=97, n_positions=48, n_embd=64, n_layer=2, n_head=2)
NO_DROPOUT = dict(embd_pdrop=0.0, attn_pdrop=0.0, resid_pdrop=0.0)


def some_ids(batch=3, seq=40, vocab=97):
    return torch.randint(0, vocab, (batch, seq), generator=torch.Generator().manual_seed(5))


def padding(ids, side):
    mask = torch.ones_like(ids)
    for row, count in enumerate((0, 3, 17)):
        if side == "right":
            mask[row, ids.shape[1] - count:] = 0
        else:
            mask[row, :count] = 0
    return mask


def check(folder, dtype=torch.float32, mask=None, labels=None, from_file=True, run=None, at_least=60, **config):
    """Same weights on both sides: from transformers' own file, or drawn by both from the seed."""
    config = {**NO_DROPOUT, **config}
    run = {"steps": 1, "optimizer": "sgd", **(run or {})}
    model = gpt_reference.make(dtype=dtype, spread=0.05 if from_file else 0.0, **config)
    ids = some_ids()
    settings = {**SHAPE, **config, **run, "dtype": str(dtype).removeprefix("torch.")}
    if from_file:
        model.save_pretrained(folder / "checkpoint")
        settings["checkpoint"] = folder / "checkpoint" / "model.safetensors"
    inputs = judge.save_inputs(folder, ids, mask, labels)
    ours, _ = judge.run("gpt", folder, inputs, **settings)
    theirs = gpt_reference.train(model, ids, mask, labels, **run)
    judge.assert_equal_bits(ours, {k: v for k, v in theirs.items() if k in ours or not k.startswith("tap.")}, at_least)


@pytest.mark.parametrize("layers", [2, 4])
@pytest.mark.parametrize("side", [None, "right", "left"])
def test_float32(tmp_path, layers, side):
    check(tmp_path, mask=padding(some_ids(), side) if side else None, n_layer=layers)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
def test_other_dtypes(tmp_path, dtype):
    check(tmp_path, dtype)
    check(tmp_path, dtype, mask=padding(some_ids(), "right"))


@pytest.mark.parametrize("option", [
    dict(activation_function="gelu"), dict(activation_function="gelu_fast"),
    dict(activation_function="gelu_pytorch_tanh"), dict(activation_function="quick_gelu"),
    dict(layer_norm_epsilon=1e-6), dict(n_inner=100), dict(scale_attn_weights=False),
    dict(scale_attn_by_inverse_layer_idx=True), dict(reorder_and_upcast_attn=True),
    dict(reorder_and_upcast_attn=True, scale_attn_by_inverse_layer_idx=True), dict(tie_word_embeddings=False),
    dict(n_head=4), dict(initializer_range=0.1)], ids=str)
def test_options(tmp_path, option):
    check(tmp_path, **option)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_upcast_attention_in_half(tmp_path, dtype):
    check(tmp_path, dtype, reorder_and_upcast_attn=True)


def test_given_labels(tmp_path):
    labels = some_ids().roll(1, 0)
    labels[:, 7:11] = -100
    check(tmp_path, labels=labels)


@pytest.mark.parametrize("optimizer", ["sgd", "adamw"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_training(tmp_path, optimizer, dtype):
    check(tmp_path, dtype, run={"steps": 5, "optimizer": optimizer, "lr": 0.003})


@pytest.mark.parametrize("tied", [True, False])
def test_weights_drawn_from_the_seed(tmp_path, tied):
    check(tmp_path, from_file=False, tie_word_embeddings=tied, initializer_range=0.03)


def test_dropout_after_the_same_seed(tmp_path):
    check(tmp_path, from_file=False, embd_pdrop=0.1, attn_pdrop=0.2, resid_pdrop=0.3,
          run={"steps": 3, "optimizer": "adamw", "lr": 0.003})


def test_a_file_written_here_is_read_by_safetensors(tmp_path):
    ours, _ = judge.run("gpt", tmp_path, "none", **SHAPE)
    assert ours["init.transformer.wte.weight"].shape == (97, 64)


@pytest.mark.parametrize("prefixed", [True, False])
def test_old_checkpoints(tmp_path, prefixed):
    """Without the prefix, with mask buffers and with the tied head stored twice."""
    from safetensors.torch import save_file
    model = gpt_reference.make(spread=0.05, **NO_DROPOUT)
    tensors = {k if prefixed else k.removeprefix("transformer."): v.detach().clone() for k, v in
               model.state_dict().items()}
    for layer in range(2):
        start = ("transformer." if prefixed else "") + f"h.{layer}.attn."
        tensors[start + "bias"] = torch.ones(1, 1, 48, 48, dtype=torch.bool)
        tensors[start + "masked_bias"] = torch.tensor(-1e4)
    assert "lm_head.weight" in tensors
    save_file(tensors, str(tmp_path / "old.safetensors"))
    inputs = judge.save_inputs(tmp_path, some_ids())
    ours, notes = judge.run("gpt", tmp_path, inputs, **SHAPE, **NO_DROPOUT, checkpoint=tmp_path / "old.safetensors")
    assert notes == "4 mask buffers (attn.bias, attn.masked_bias) dropped\n"
    judge.assert_equal_bits(ours, {"logits": gpt_reference.train(model, some_ids())["logits"]}, 1)
