"""Every kind of checkpoint into every shape: initial weights and what the model makes of them."""

import os
import subprocess

import pytest
import torch

import bloom_reference
import gpt_reference
import judge
import shape_pair
from test_gpt import some_ids

NO_DROPOUT = dict(embd_pdrop=0.0, attn_pdrop=0.0, resid_pdrop=0.0)


def convert(source, target, *options):
    command = [os.environ["GOLDENTRACE_BIN"] + "/gtrace", "convert", str(source), str(target), "--quiet", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr}"
    return target


def gpt2(folder):
    model = gpt_reference.make(spread=0.05, activation_function="gelu_fast", layer_norm_epsilon=1e-3, **NO_DROPOUT)
    model.save_pretrained(folder / "gpt2")
    return model


def load(folder, shape, checkpoint, **options):
    inputs = judge.save_inputs(folder, some_ids())
    ours, _ = judge.run("gpt", folder, inputs, shape=shape, checkpoint=checkpoint, lr=0, **options)
    return ours


def canonical(model):
    tensors = {name.removeprefix("transformer."): value.detach() for name, value in model.named_parameters()}
    return shape_pair.to_megatron(tensors, heads=2)


def initial(ours):
    return {name.removeprefix("init."): value for name, value in ours.items() if name.startswith("init.")}


MEGATRON = [("--layout", "pipe"), ("--layout", "pipe", "--tp", "2"),
            *(("--layout", "classic", "--checkpoint-version", str(version), "--tp", tp)
              for version, tp in ((0, "2"), (1, "1"), (2, "2"), (3, "1")))]


@pytest.mark.parametrize("options", MEGATRON, ids=" ".join)
def test_megatron_directories(tmp_path, options):
    model = gpt2(tmp_path)
    folder = convert(tmp_path / "gpt2", tmp_path / "megatron", "--to", "megatron", *options)
    ours = initial(load(tmp_path, "megatron", folder))
    expected = canonical(model)
    words = expected.pop("word_embeddings.weight")
    padded = ours["word_embeddings.weight"]
    assert padded.shape[0] % 128 == 0
    assert torch.equal(padded[:97], words) and (padded[97:] == words[-1]).all()
    judge.assert_equal_bits(ours, expected, 27)
    theirs = {"init." + name: value for name, value in model.named_parameters()}
    judge.assert_equal_bits(load(tmp_path, "hf", folder), theirs, 28)


def test_hugging_face_folders_in_megatrons_shape(tmp_path):
    model = gpt2(tmp_path)
    ours = load(tmp_path, "megatron", tmp_path / "gpt2", pad_vocab_size_to=97)
    judge.assert_equal_bits(initial(ours), canonical(model), 28)
    theirs = gpt_reference.train(model, some_ids())
    assert (ours["logits"] - theirs["logits"]).abs().max() < 2e-6
    assert (ours["losses"] - theirs["losses"]).abs().max() < 2e-6
    padded = initial(load(tmp_path, "megatron", tmp_path / "gpt2"))["word_embeddings.weight"]
    assert padded.shape == (128, 64) and (padded[97:] == padded[96]).all()


def test_shards_and_torch_files(tmp_path):
    model = gpt2(tmp_path)
    theirs = {"init." + name: value for name, value in model.named_parameters()}
    model.save_pretrained(tmp_path / "shards", max_shard_size="100kB")
    assert (tmp_path / "shards" / "model.safetensors.index.json").exists()
    judge.assert_equal_bits(load(tmp_path, "hf", tmp_path / "shards"), theirs, 28)
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    torch.save(model.state_dict(), bin_folder / "pytorch_model.bin")
    (bin_folder / "config.json").write_text((tmp_path / "gpt2" / "config.json").read_text())
    judge.assert_equal_bits(load(tmp_path, "hf", bin_folder), theirs, 28)
    judge.assert_equal_bits(load(tmp_path, "hf", bin_folder / "pytorch_model.bin"), theirs, 28)


def test_options_are_those_of_the_checkpoint(tmp_path):
    """Nothing is given but the folder: sizes, epsilon and activation are taken from config.json."""
    model = gpt_reference.make(spread=0.05, activation_function="quick_gelu", layer_norm_epsilon=1e-3, n_inner=100,
                               scale_attn_by_inverse_layer_idx=True, tie_word_embeddings=False, **NO_DROPOUT)
    model.save_pretrained(tmp_path / "gpt2")
    judge.assert_equal_bits(load(tmp_path, "hf", tmp_path / "gpt2"),
                            {"logits": gpt_reference.train(model, some_ids())["logits"]}, 1)


@pytest.mark.parametrize("options", MEGATRON[:3], ids=" ".join)
def test_bloom_and_megatron(tmp_path, options):
    """A BLOOM is a Megatron model with alibi and a norm of the embedding. BLOOM's scores are not scaled by layer."""
    model = bloom_reference.make()
    model.save_pretrained(tmp_path / "bloom")
    folder = convert(tmp_path / "bloom", tmp_path / "megatron", "--to", "megatron", *options)
    expected, _ = bloom_reference.run(model, some_ids())
    judge.assert_equal_bits(load(tmp_path, "bloom", folder), {"logits": expected["logits"]}, 1)
    ours = load(tmp_path, "megatron", folder)
    assert (ours["logits"][..., :97] - expected["logits"]).abs().max() < 5e-6


def test_hostile_option_pairs(tmp_path):
    model = bloom_reference.make()
    model.save_pretrained(tmp_path / "bloom")
    folder = convert(tmp_path / "bloom", tmp_path / "megatron", "--to", "megatron")
    with pytest.raises(AssertionError, match="record it with the shape bloom"):
        load(tmp_path, "hf", folder)
    gpt2(tmp_path)
    other = convert(tmp_path / "gpt2", tmp_path / "other", "--to", "megatron")
    with pytest.raises(AssertionError, match="alibi"):
        load(tmp_path, "bloom", other)
    with pytest.raises(AssertionError, match="heads, not 4"):
        load(tmp_path, "megatron", other, num_attention_heads=4)
