"""Converting a GPT-2 of 1 GB between the layouts of Hugging Face and Megatron, against a plain copy of its file."""
import json
import pathlib
import shutil
import statistics
import subprocess
import time

import numpy

from harness import table

VOCAB, POSITIONS, HIDDEN, LAYERS, HEADS = 50257, 1024, 1024, 16, 16
ROUNDS = 5


def shapes():
    h = HIDDEN
    found = {"wte.weight": [VOCAB, h], "wpe.weight": [POSITIONS, h], "ln_f.weight": [h], "ln_f.bias": [h]}
    for layer in range(LAYERS):
        for name, rows, columns in (("attn.c_attn", h, 3 * h), ("attn.c_proj", h, h), ("mlp.c_fc", h, 4 * h),
                                    ("mlp.c_proj", 4 * h, h)):
            found |= {f"h.{layer}.{name}.weight": [rows, columns], f"h.{layer}.{name}.bias": [columns]}
        for name in ("ln_1", "ln_2"):
            found |= {f"h.{layer}.{name}.weight": [h], f"h.{layer}.{name}.bias": [h]}
    return found


def write_checkpoint(folder):
    """Returns the bytes of its weights' file."""
    folder.mkdir()
    header, end, random = {}, 0, numpy.random.default_rng(1)
    for name, shape in shapes().items():
        size = 4 * int(numpy.prod(shape))
        header["transformer." + name] = {"dtype": "F32", "shape": shape, "data_offsets": [end, end + size]}
        end += size
    text = json.dumps(header).encode()
    path = folder / "model.safetensors"
    with path.open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for shape in shapes().values():
            file.write(random.standard_normal(shape, dtype=numpy.float32).tobytes())
    (folder / "config.json").write_text(json.dumps({"model_type": "gpt2", "vocab_size": VOCAB, "n_positions": POSITIONS,
                                                    "n_embd": HIDDEN, "n_layer": LAYERS, "n_head": HEADS}))
    return path.stat().st_size


def anonymous_peak(process):
    """In bytes, while the process runs."""
    peak = 0
    while process.poll() is None:
        try:
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        except OSError:
            continue
        peak = max([peak] + [int(line.split()[1]) for line in status.splitlines() if line.startswith("RssAnon")])
        time.sleep(0.002)
    return peak * 1024


def timed(command, target):
    """Median seconds with what was written on the disk, and the largest anonymous memory."""
    seconds, peak = [], 0
    for _ in range(ROUNDS):
        shutil.rmtree(target, ignore_errors=True)
        start = time.perf_counter()
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            peak = max(peak, anonymous_peak(process))
        if process.returncode != 0:
            raise RuntimeError(f"{command[0]} ended with {process.returncode}")
        subprocess.run(["sync", "-f", str(target)], check=True)
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds), peak


def section(bench):
    hf, megatron, back = bench.folder / "hf", bench.folder / "megatron", bench.folder / "back"
    size = write_checkpoint(hf)
    gtrace = bench.program("gtrace")
    copied, _ = timed(["cp", "-r", str(hf), str(bench.folder / "copy")], bench.folder / "copy")
    rows = [["cp", f"{copied:.2f} s", f"{size / 1e9 / copied:.2f}", "1.00", ""]]
    for words, options, tensors, target in (
            ("to Megatron, one file", ["--layout", "classic"], hf, megatron),
            ("back to Hugging Face", [], megatron, back)):
        to = "megatron" if target == megatron else "hf"
        seconds, peak = timed([gtrace, "convert", str(tensors), str(target), "--to", to, *options], target)
        rows.append([f"gtrace convert, {words}", f"{seconds:.2f} s", f"{size / 1e9 / seconds:.2f}",
                     f"{seconds / copied:.2f}", f"{peak / 1e6:.0f} MB"])
    shutil.rmtree(bench.folder / "copy")
    return table([f"{size / 1e9:.1f} GB of float32, synced", "time", "GB/s", "time of cp", "anonymous memory"], rows)
