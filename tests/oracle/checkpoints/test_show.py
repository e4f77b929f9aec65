"""gtrace show on checkpoints that Python wrote."""

import argparse
import json
import os
import pathlib
import subprocess

import torch

import upstream

GTRACE = pathlib.Path(os.environ["GOLDENTRACE_BIN"]) / "gtrace"


def show(path):
    done = subprocess.run([GTRACE, "show", path, "--json"], capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else done.stderr


def test_arguments_are_readable_as_data(tmp_path):
    state = {"args": argparse.Namespace(num_layers=2, lr=1e-4, name="x", none=None), "checkpoint_version": 3.0, "iteration": 5,
             "model": {"w": torch.ones(2, 3, dtype=torch.bfloat16)}}
    torch.save(state, tmp_path / "a.pt")
    document = show(tmp_path / "a.pt")
    assert document["kind"] == "torch.save"
    assert document["facts"] == {"args.num_layers": 2, "args.lr": 1e-4, "args.name": "x", "args.none": None,
                                 "checkpoint_version": 3.0, "iteration": 5}
    assert document["tensors"] == [{"name": "model.w", "dtype": "bfloat16", "shape": [2, 3], "bytes": 12, "file": "a.pt"}]
    assert document["totals"] == {"tensors": 1, "elements": 6, "bytes": 12}


def test_megatron_folders_with_their_enums(tmp_path):
    w = upstream.weights()
    document = show(upstream.write_pipe(tmp_path / "p", w, 2))
    assert document["kind"] == "Megatron-DeepSpeed"
    assert document["facts"]["args.position_embedding_type"] == "PositionEmbeddingType(2)"
    assert document["dtypes"]["float32"]["tensors"] == 2 * len(w)
    assert show(upstream.write_classic(tmp_path / "c", w, 1, 2))["kind"] == "Megatron-LM"


class Thing:
    pass


def test_unknown_classes_are_refused_by_name(tmp_path):
    torch.save({"x": Thing()}, tmp_path / "a.pt")
    assert "test_show.Thing" in show(tmp_path / "a.pt")
