"""A21, G01, G03, G05, G07: files of torch.save."""

import collections
import pathlib
import pickle
import struct
import zipfile

import pytest
import torch

import tiny
from conftest import bounded


def converted_state(folder):
    import safetensors.torch
    return safetensors.torch.load_file(folder / "model.safetensors")


def assert_is_tiny(folder):
    state = converted_state(folder)
    wanted = tiny.to_hf(tiny.thirds())
    assert set(state) == set(wanted)
    for name, tensor in wanted.items():
        assert tiny.raw(state[name]) == tiny.raw(tensor), name


def test_a21_renamed_keys(command, tmp_path):
    step = tiny.write_pipe(tmp_path / "m")
    path = step / "layer_04-model_00-model_states.pt"
    content = torch.load(path, weights_only=True)
    content["self_attention._extra_state"] = torch.zeros(1, dtype=torch.uint8)
    torch.save(content, path)
    good, notes = command.convert(tmp_path / "m")
    assert "_extra_state" not in notes
    content["layernorm_mlp.fc1_weight"] = content.pop("mlp.dense_h_to_4h.weight")
    torch.save(content, path)
    refusals = [command.refusal(tmp_path / "m")]
    done = command.run("record", "gpt", "--shape", "megatron", "--load", tmp_path / "m", "-o", tmp_path / "run.h5", "--seq", 5)
    assert done.returncode == 2 and not list(tmp_path.glob("run.h5*")), done.stdout + done.stderr
    for message in refusals + [done.stderr]:
        assert "1 missing: layers.1.mlp.dense_h_to_4h.weight" in message
        assert "1 unexpected: layer_04 layernorm_mlp.fc1_weight" in message
        assert "_extra_state" not in message


def test_a21_renamed_keys_of_transformers(command, tmp_path):
    state = tiny.to_hf(tiny.thirds())
    state["transformer.h.1.mlp.fc1.weight"] = state.pop("transformer.h.1.mlp.c_fc.weight")
    tiny.write_hf(tmp_path / "hf", state)
    for to in ("hf", "megatron"):
        message = command.refusal(tmp_path / "hf", to)
        assert "1 missing: transformer.h.1.mlp.c_fc.weight" in message
        assert "1 unexpected: transformer.h.1.mlp.fc1.weight" in message
    done = command.run("record", "gpt", "--load", tmp_path / "hf", "-o", tmp_path / "run.h5", "--seq", 5)
    assert done.returncode == 2 and not list(tmp_path.glob("run.h5*"))
    assert "1 missing: transformer.h.1.mlp.c_fc.weight" in done.stderr
    assert "1 unexpected: transformer.h.1.mlp.fc1.weight" in done.stderr


def listed_keys(message, word):
    listed = message.split(f" {word}: ")[1].split("; ")[0].strip().split(", ")
    assert message.split(f" {word}: ")[0].split()[-1] == str(len(listed)), message
    return listed


def test_a21_every_key_is_listed(command, tmp_path):
    state = tiny.to_hf(tiny.thirds())
    renamed = [name for name in state if ".mlp." in name or ".attn." in name]
    for name in renamed:
        state[name.replace("transformer.h", "model.layers")] = state.pop(name)
    tiny.write_hf(tmp_path / "hf", state)
    message = command.refusal(tmp_path / "hf")
    assert sorted(listed_keys(message, "missing")) == sorted(renamed)
    assert sorted(listed_keys(message, "unexpected")) == sorted(n.replace("transformer.h", "model.layers") for n in renamed)


def test_a21_keys_of_a_classic_file(command, tmp_path):
    path = tiny.write_classic(tmp_path / "m")
    content = torch.load(path, weights_only=False)
    encoder = content["model"]["language_model"]["encoder"]
    for i in range(tiny.LAYERS):
        encoder[f"layers.{i}.layernorm_mlp.weight"] = encoder.pop(f"layers.{i}.post_attention_layernorm.weight")
        encoder[f"layers.{i}.self_attention._extra_state"] = torch.zeros(1, dtype=torch.uint8)
    torch.save(content, path)
    message = command.refusals(tmp_path / "m")
    assert listed_keys(message, "missing") == [f"layers.{i}.post_attention_layernorm.weight" for i in range(tiny.LAYERS)]
    assert all(f"layers.{i}.layernorm_mlp.weight" in message for i in range(tiny.LAYERS))
    assert len(listed_keys(message, "unexpected")) == tiny.LAYERS and "_extra_state" not in message


def listed_names(text):
    return [line.split("\t")[0] for line in text.split("\ntensor\t")[1].splitlines()[1:]]


def test_g01_state_dict_is_an_ordered_dict(command, tmp_path):
    state = collections.OrderedDict(reversed(tiny.to_hf(tiny.thirds()).items()))
    state._metadata = collections.OrderedDict({"": {"version": 1}})
    tiny.write_config(tmp_path / "hf")
    torch.save(state, tmp_path / "hf" / "pytorch_model.bin")
    folder, _ = command.convert(tmp_path / "hf")
    assert_is_tiny(folder)
    shown = command.run("show", tmp_path / "hf" / "pytorch_model.bin", "--limit", 0)
    assert shown.returncode == 0 and "assert" not in (shown.stdout + shown.stderr).lower()
    assert listed_names(shown.stdout) == list(state)


def test_g01_state_dict_of_a_module(command, tmp_path):
    inner = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.LayerNorm(3))
    state = inner.state_dict()
    assert isinstance(state, collections.OrderedDict) and hasattr(state, "_metadata")
    nested = collections.OrderedDict(model=collections.OrderedDict(encoder=state), scale=torch.ones(1))
    torch.save(nested, tmp_path / "nested.pt")
    shown = command.run("show", tmp_path / "nested.pt")
    assert shown.returncode == 0, shown.stderr
    for name in [*state, "scale"]:
        assert name in shown.stdout


def test_g03_namespace_inside_megatron_files(command, tmp_path):
    path = tiny.write_classic(tmp_path / "m")
    folder, _ = command.convert(tmp_path / "m")
    assert_is_tiny(folder)
    shown = command.run("show", path).stdout
    assert "args.num_layers\t2\n" in shown and "iteration\t5\n" in shown and "checkpoint_version\t3\n" in shown


class Thing:
    def __init__(self):
        self.value = 1


Thing.__module__ = "my_pkg"


def test_g03_unknown_classes_are_refused_by_name(command, tmp_path, monkeypatch):
    import sys
    import types
    module = types.ModuleType("my_pkg")
    module.Thing = Thing
    monkeypatch.setitem(sys.modules, "my_pkg", module)
    tiny.write_classic(tmp_path / "m", extra=Thing())
    assert "my_pkg.Thing" in command.refusals(tmp_path / "m")
    done = command.run("convert", tmp_path / "m", tmp_path / "out", "--to", "hf", "--skip-unknown")
    assert done.returncode == 0, done.stderr
    assert_is_tiny(tmp_path / "out")


def test_g05_truncated_files(command, tmp_path):
    tiny.write_config(tmp_path / "hf")
    path = tmp_path / "hf" / "pytorch_model.bin"
    torch.save(tiny.to_hf(tiny.thirds()), path)
    good = path.read_bytes()
    assert_is_tiny(command.convert(tmp_path / "hf")[0])
    for size in (len(good) // 2, len(good) - 1, 30):
        path.write_bytes(good[:size])
        assert f"truncated ({size} bytes)" in command.refusals(tmp_path / "hf")
    path.write_bytes(b"")
    assert "empty" in command.refusals(tmp_path / "hf")


def test_g05_every_flipped_data_byte_is_named_with_its_entry(command, tmp_path):
    tiny.write_config(tmp_path / "hf")
    path = tmp_path / "hf" / "pytorch_model.bin"
    torch.save(tiny.to_hf(tiny.thirds()), path)
    good = path.read_bytes()
    entries = [entry for entry in zipfile.ZipFile(path).infolist() if entry.filename.endswith(("data.pkl", "/data/0", "/data/7"))]
    assert len(entries) == 3
    for entry in entries:
        start = entry.header_offset + 30 + sum(struct.unpack("<HH", good[entry.header_offset + 26:entry.header_offset + 30]))
        at = start + entry.file_size // 2
        path.write_bytes(good[:at] + bytes([good[at] ^ 1]) + good[at + 1:])
        assert f"CRC mismatch in {entry.filename}" in command.refusals(tmp_path / "hf")


# G07: pickles as hostile writers make them, in an archive whose CRCs are right.

def archive(path, pickled, record=bytes(32)):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as out:
        out.writestr("archive/data.pkl", pickled)
        out.writestr("archive/byteorder", "little")
        out.writestr("archive/data/0", record)
        out.writestr("archive/version", "3\n")


def number(value):
    return pickle.dumps(value, 2)[2:-1]


def tensor(elements=8, offset=0, size=(8,), stride=(1,)):
    """{'x': tensor} over storage 0."""
    def numbers(values):
        return b"(" + b"".join(map(number, values)) + b"t"
    storage = (b"(" + number("storage") + b"ctorch\nFloatStorage\n" + number("0") + number("cpu") + number(elements) + b"tQ")
    rebuilt = (b"ctorch._utils\n_rebuild_tensor_v2\n((" + storage[1:] + number(offset) + numbers(size) + numbers(stride)
               + b"\x89ccollections\nOrderedDict\n)RtR")
    return b"\x80\x02}" + number("x") + rebuilt + b"s."


HOSTILE = {
    "reduce call": (b"\x80\x02cos\nsystem\n" + number("touch ran") + b"\x85R.", "os.system"),
    "builtin call": (b"\x80\x02c__builtin__\neval\n" + number("open('ran', 'w')") + b"\x85R.", "eval"),
    "setitem on a list": (b"\x80\x02]" + number(1) + number(2) + b"s.", "SETITEM"),
    "size past the record": (tensor(elements=1000, size=(1000,)), "storage|data/0|1000"),
    "size past the storage": (tensor(size=(1000,)), r"tensor \[1000\] over a storage of 8"),
    "negative stride": (tensor(stride=(-1,)), "stride"),
    "negative offset": (tensor(offset=-5), "offset"),
    "overflowing size": (tensor(size=(2**62, 4), stride=(4, 1)), r"tensor \[4611686018427387904, 4\] over"),
    "overflowing stride": (tensor(size=(2, 2), stride=(2**63 - 1, 1)), r"tensor \[2, 2\] reaches past its storage"),
    "a million marks": (b"\x80\x02" + b"(" * 10**6 + b".", "byte 1000002: nothing on the stack"),
    "a million lists": (b"\x80\x02" + b"]" * 10**6 + b"a" * (10**6 - 1) + b".", "builds more than"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_g07_hostile_pickles(command, tmp_path, name):
    import re
    pickled, words = HOSTILE[name]
    tiny.write_config(tmp_path / "hf")
    archive(tmp_path / "hf" / "pytorch_model.bin", pickled)
    message = command.refusals(tmp_path / "hf", preexec_fn=bounded)
    assert re.search(words, message), message
    assert not (tmp_path / "ran").exists() and not pathlib.Path("ran").exists()
    shown = command.run("show", tmp_path / "hf" / "pytorch_model.bin", preexec_fn=bounded)
    assert shown.returncode == 2 and shown.stderr.count("\n") == 1, shown.stdout + shown.stderr


def test_g07_the_same_writer_makes_a_good_file(command, tmp_path):
    archive(tmp_path / "good.pt", tensor())
    shown = command.run("show", tmp_path / "good.pt")
    assert shown.returncode == 0, shown.stderr
    assert torch.load(tmp_path / "good.pt", weights_only=True)["x"].shape == (8,)
