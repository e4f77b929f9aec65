"""A conversion keeps nothing of its tensors in memory of its own, however large they are."""

import json
import os
import pathlib
import subprocess
import time

import pytest

GTRACE = pathlib.Path(os.environ["GOLDENTRACE_BIN"]) / "gtrace"
VOCAB, HIDDEN = 50257, 1024


def write_sparse(folder):
    """A GPT-2 of one layer whose bytes are a hole in the file."""
    h, shapes = HIDDEN, {"wte.weight": [VOCAB, HIDDEN], "wpe.weight": [16, HIDDEN]}
    for name, rows, columns in (("attn.c_attn", h, 3 * h), ("attn.c_proj", h, h), ("mlp.c_fc", h, 4 * h), ("mlp.c_proj", 4 * h, h)):
        shapes |= {f"h.0.{name}.weight": [rows, columns], f"h.0.{name}.bias": [columns]}
    for name in ("h.0.ln_1", "h.0.ln_2", "ln_f"):
        shapes |= {f"{name}.weight": [h], f"{name}.bias": [h]}
    header, end = {}, 0
    for name, shape in shapes.items():
        size = 4 * shape[0] * (shape[1] if len(shape) > 1 else 1)
        header["transformer." + name] = {"dtype": "F32", "shape": shape, "data_offsets": [end, end + size]}
        end += size
    text = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(len(text).to_bytes(8, "little") + text)
    os.truncate(folder / "model.safetensors", 8 + len(text) + end)
    (folder / "config.json").write_text(json.dumps({"model_type": "gpt2", "vocab_size": VOCAB, "n_positions": 16,
                                                    "n_embd": HIDDEN, "n_layer": 1, "n_head": 16}))


def peak_of(*arguments):
    child = subprocess.Popen([GTRACE, "convert", *map(str, arguments)], stdout=subprocess.DEVNULL)
    peak = 0
    while child.poll() is None:
        try:
            status = pathlib.Path(f"/proc/{child.pid}/status").read_text()
        except OSError:
            continue
        peak = max([peak] + [int(line.split()[1]) for line in status.splitlines() if line.startswith("RssAnon")])
        time.sleep(0.002)
    assert child.returncode == 0
    return peak * 1024


def test_anonymous_memory_stays_below_the_largest_tensor(tmp_path):
    if b"__asan_init" in GTRACE.read_bytes() or b"__tsan_init" in GTRACE.read_bytes():
        pytest.skip("a sanitizer keeps memory of its own")
    write_sparse(tmp_path)
    options = ["--layout", "classic", "--checkpoint-version", 1]
    assert 0 < peak_of(tmp_path, tmp_path / "m", "--to", "megatron", *options) < VOCAB * HIDDEN * 4 / 2
