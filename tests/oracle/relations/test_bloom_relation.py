"""A Megatron checkpoint with alibi and its conversion to BLOOM, both recorded: logits as transformers has them, every layer
certified by the relation megatron-bloom, faults of the conversion found."""

import json
import subprocess

import numpy
import pytest
import torch
from safetensors.torch import load_file, save_file

import upstream as megatron
from conversion import GTRACE, IDS, load, logits, run


def gtrace(*arguments, code=0):
    done = subprocess.run([GTRACE, *map(str, arguments)], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == code, done.stdout[-3000:] + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bloom")
    megatron.write_pipe(folder / "megatron", megatron.weights(bloom=True), 2, bloom=True)
    run(folder / "megatron", folder / "bloom", "--to", "hf")
    numpy.save(folder / "ids.npy", IDS.numpy())
    return folder


def record(folder, shape, checkpoint, out, *options):
    settings = ["--set", "loss_over_padding=false"] if shape == "megatron" else []
    gtrace("record", "gpt", "--shape", shape, "--load", checkpoint, "-o", out, "--tokens", folder / "ids.npy",
           "--dropout", 0, "--threads", 1, "--quiet", *settings, *options)
    return out


def differ(a, b, *options, code=0):
    report = json.loads(gtrace("diff", a, b, "--json", *options, code=code))
    assert report["relation"]["name"] == "megatron-bloom"
    return report


def assert_all_certified(report):
    assert report["verdict"] == "same" and not report["missing"] and not report["extra"]
    assert "all 50 layers certified" in report["reason"]


def recorded_logits(trace, layer):
    path = trace.with_suffix(".npy")
    gtrace("show", trace, "--record", f"0:0:0/forward/{layer}#0/output.0", "--npy", path)
    return torch.from_numpy(numpy.load(path))


def test_every_layer_is_certified(models, tmp_path):
    a = record(models, "megatron", models / "megatron", tmp_path / "a.h5")
    b = record(models, "bloom", models / "bloom", tmp_path / "b.h5")
    assert_all_certified(differ(a, b))
    assert_all_certified(differ(b, a))


def test_logits_are_those_of_transformers(models, tmp_path):
    wanted = logits(load(models / "bloom"))
    ours = recorded_logits(record(models, "bloom", models / "bloom", tmp_path / "b.h5"), "lm_head")
    assert torch.equal(ours, wanted)
    theirs = recorded_logits(record(models, "megatron", models / "megatron", tmp_path / "a.h5"), "logits")
    assert (theirs[..., :megatron.VOCAB] - wanted).norm() <= 1e-5 * wanted.norm()


SCALED = "apply_query_key_layer_scaling"


@pytest.mark.parametrize("of_megatron, of_bloom", [
    ([f"{SCALED}=false"], []), ([f"{SCALED}=true", "layout=classic"], []),
    ([f"{SCALED}=false"], ["scores=first-release"]), ([f"{SCALED}=true"], ["scores=first-release"]),
    ([f"{SCALED}=true", "layout=classic"], ["scores=first-release"])], ids=str)
def test_scores_are_scaled_by_layer_in_one_or_both(models, tmp_path, of_megatron, of_bloom):
    def options(settings):
        return [word for each in settings for word in ("--set", each)]
    a = record(models, "megatron", models / "megatron", tmp_path / "a.h5", *options(of_megatron))
    b = record(models, "bloom", models / "bloom", tmp_path / "b.h5", *options(of_bloom))
    assert_all_certified(differ(a, b))


def test_training_and_a_padding_mask(models, tmp_path):
    mask = numpy.ones(IDS.shape, dtype=numpy.int64)
    mask[1, 15:] = 0
    numpy.save(tmp_path / "mask.npy", mask)
    more = ["--steps", 2, "--optimizer", "adamw", "--mask", tmp_path / "mask.npy"]
    a = record(models, "megatron", models / "megatron", tmp_path / "a.h5", *more)
    b = record(models, "bloom", models / "bloom", tmp_path / "b.h5", *more)
    # Adam divides by the root of gradients that are all but zero.
    assert_all_certified(differ(a, b, "--rel", "1e-3"))


@pytest.mark.parametrize("key, change, layer", [
    ("h.1.self_attention.query_key_value.weight", lambda t: t.reshape(3, megatron.HEADS, megatron.SIZE, -1).transpose(0, 1).reshape(t.shape),
     "layers.1.self_attention.query_key_value"),
    ("h.0.mlp.dense_4h_to_h.bias", torch.zeros_like, "layers.0"),
    ("h.2.self_attention.dense.weight", lambda t: t.t().contiguous(), "layers.2.self_attention.dense"),
    ("word_embeddings_layernorm.bias", torch.zeros_like, "embedding.norm")], ids=["rows", "bias", "transpose", "norm"])
def test_faults_of_a_conversion(models, tmp_path, key, change, layer):
    a = record(models, "megatron", models / "megatron", tmp_path / "a.h5")
    state = load_file(models / "bloom" / "model.safetensors")
    state["transformer." + key] = change(state["transformer." + key]).contiguous()
    (tmp_path / "wrong").mkdir()
    (tmp_path / "wrong" / "config.json").write_text((models / "bloom" / "config.json").read_text())
    save_file(state, tmp_path / "wrong" / "model.safetensors", metadata={"format": "pt"})
    b = record(models, "bloom", tmp_path / "wrong", tmp_path / "b.h5")
    first = differ(a, b, code=1)["first_divergence"]
    assert (first["layer"], first["role"], first["origin"]) == (layer, "param", "weight")
