"""Runs run_model and compares tensors bit for bit."""

import os
import subprocess

import torch
from safetensors.torch import load_file, save_file

RUN_MODEL = os.environ["GOLDENTRACE_RUN_MODEL"]
THREADS = 1  # of both sides, unless a test says otherwise: cheap where many tests run at once

torch.set_num_threads(THREADS)


def run(kind, folder, *positional, **settings):
    out = str(folder / "ours.safetensors")
    arguments = [RUN_MODEL, kind, out, *map(str, positional), f"threads={THREADS}"]
    arguments += [f"{key}={str(value).lower() if isinstance(value, bool) else value}" for key, value in settings.items()]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"{' '.join(arguments)}\n{done.stderr}"
    tensors = load_file(out)
    os.remove(out)  # large, and pytest keeps the folders of several runs
    return tensors, done.stdout


def save_inputs(folder, ids, mask=None, labels=None):
    path = folder / "inputs.safetensors"
    given = {"ids": ids, "mask": mask, "labels": labels}
    save_file({name: value.contiguous() for name, value in given.items() if value is not None}, str(path))
    return path


def bits(tensor):
    kinds = {torch.float64: torch.int64, torch.float32: torch.int32, torch.float16: torch.int16,
             torch.bfloat16: torch.int16}
    return tensor.contiguous().view(kinds.get(tensor.dtype, tensor.dtype))


def difference(ours, theirs):
    """An empty text for equal bits, else how they differ."""
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return f"{tuple(ours.shape)} {ours.dtype} against {tuple(theirs.shape)} {theirs.dtype}"
    unequal = bits(ours) != bits(theirs)
    if not unequal.any():
        return ""
    largest = (ours.double() - theirs.double()).abs().max().item()
    return f"{unequal.sum().item()} of {unequal.numel()} differ, at most by {largest:.3g}"


def assert_equal_bits(ours, theirs, at_least):
    """Every name that `theirs` has, in its order; `at_least` guards against comparing nothing."""
    assert len(theirs) >= at_least
    wrong = [f"{name}: {difference(ours[name], value) if name in ours else 'missing'}"
             for name, value in theirs.items() if name not in ours or difference(ours[name], value)]
    assert not wrong, "\n".join(wrong)
