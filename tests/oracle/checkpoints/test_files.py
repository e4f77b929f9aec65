"""torch.save and safetensors files by their own writers, read by goldentrace and written again; torch.load and
safetensors judge."""

import argparse
import collections
import os
import pathlib
import pickle
import subprocess
import zipfile

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

REWRITE = os.environ["GOLDENTRACE_REWRITE_CHECKPOINT"]
DTYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16, torch.int8,
          torch.uint8, torch.bool, torch.complex64, torch.float8_e4m3fn, torch.float8_e5m2, torch.uint16, torch.uint32,
          torch.uint64]


def rewrite(source, target):
    done = subprocess.run([REWRITE, source, target], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return target


def refusal(source):
    done = subprocess.run([REWRITE, source, source.with_name("out.pt")], capture_output=True, text=True)
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done
    return done.stderr


def raw(tensor):
    return tensor.detach().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()


def assert_same(a, b):
    assert a.dtype == b.dtype and a.shape == b.shape and raw(a) == raw(b)


def samples():
    generator = torch.Generator().manual_seed(1)
    bits = torch.randint(0, 256, (2, 3, 16), dtype=torch.uint8, generator=generator)
    return {str(t): (bits > 128) if t == torch.bool else bits.clone().view(t) for t in DTYPES}


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_every_dtype_through_both_formats(tmp_path, protocol):
    tensors = samples()
    torch.save(tensors, tmp_path / "a.pt", pickle_protocol=protocol)
    through_torch = torch.load(rewrite(tmp_path / "a.pt", tmp_path / "b.pt"), weights_only=True)
    through_safetensors = load_file(rewrite(tmp_path / "b.pt", tmp_path / "c.safetensors"))
    again = torch.load(rewrite(tmp_path / "c.safetensors", tmp_path / "d.pt"), weights_only=True)
    for result in (through_torch, through_safetensors, again):
        assert result.keys() == tensors.keys()
        for name, tensor in tensors.items():
            assert_same(result[name], tensor)


def test_views_keep_their_values(tmp_path):
    base = torch.arange(720, dtype=torch.float32).reshape(6, 10, 12)
    views = {"slice": base[1:4, 2:9:3, 5], "transposed": base.transpose(0, 2), "scalar": base[2, 3, 4],
             "empty": base[:0], "last": base[-1], "conv": torch.empty(2, 3, 4, 5).contiguous(memory_format=torch.channels_last)}
    torch.save(views, tmp_path / "a.pt")
    result = torch.load(rewrite(tmp_path / "a.pt", tmp_path / "b.pt"), weights_only=True)
    for name, tensor in views.items():
        assert_same(result[name], tensor)


def test_state_dict_of_a_module(tmp_path):
    module = torch.nn.TransformerEncoderLayer(16, 2, 32)
    torch.save(module.state_dict(), tmp_path / "a.pt")
    torch.save(dict(module.named_parameters()), tmp_path / "p.pt")
    for path in (tmp_path / "a.pt", tmp_path / "p.pt"):
        result = torch.load(rewrite(path, tmp_path / "b.pt"), weights_only=True)
        assert list(result) == list(module.state_dict())
        for name, tensor in module.state_dict().items():
            assert_same(result[name], tensor)


def test_the_things_of_a_megatron_file_are_inert(tmp_path):
    args = argparse.Namespace(num_layers=2, lr=np.float64(1e-4), n=np.int64(7), path=pathlib.Path("x"), dtype=torch.float16,
                              size=torch.Size([2, 3]), device=torch.device("cpu"), names={"a", "b"}, none=None, raw=b"\xff\0",
                              empty=b"")
    state = {"args": args, "checkpoint_version": 3.0, "model": collections.OrderedDict(w=torch.ones(3)),
             "rng_state": [{"numpy": np.random.get_state(), "torch": torch.get_rng_state()}],
             "big": 2**80, "defaults": collections.defaultdict(list, {"k": [1]}), "number": np.float32(1.5)}
    for protocol in (2, 4):
        torch.save(state, tmp_path / "a.pt", pickle_protocol=protocol)
        result = torch.load(rewrite(tmp_path / "a.pt", tmp_path / "b.pt"), weights_only=True)
        assert list(result) == ["model.w", "rng_state.0.torch"]
        assert_same(result["rng_state.0.torch"], torch.get_rng_state())


def test_shared_and_large_storages(tmp_path):
    shared = torch.arange(100_000, dtype=torch.float32)
    torch.save({"a": shared, "b": shared[10:20], **{f"t{i}": torch.tensor([i]) for i in range(3000)}}, tmp_path / "a.pt")
    result = torch.load(rewrite(tmp_path / "a.pt", tmp_path / "b.pt"), weights_only=True)
    assert_same(result["a"], shared)
    assert_same(result["b"], shared[10:20])
    assert result["t2999"].item() == 2999


def test_python_reads_the_archive_as_its_own(tmp_path):
    save_file({"w": torch.arange(12.0).reshape(3, 4)}, tmp_path / "a.safetensors", metadata={"format": "pt"})
    written = rewrite(tmp_path / "a.safetensors", tmp_path / "b.pt")
    with zipfile.ZipFile(written) as archive:
        assert archive.testzip() is None
        assert all(info.compress_type == zipfile.ZIP_STORED for info in archive.infolist())
    assert torch.equal(torch.load(written, weights_only=True, mmap=True)["w"], torch.arange(12.0).reshape(3, 4))


class Touch:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (os.system, (f"touch {self.path}",))


def test_nothing_is_executed(tmp_path):
    torch.save({"w": torch.ones(2), "x": Touch(tmp_path / "made")}, tmp_path / "a.pt")
    assert "posix.system" in refusal(tmp_path / "a.pt")
    assert not (tmp_path / "made").exists()


def test_what_is_no_plain_tensor_is_refused_by_name(tmp_path):
    for name, value in {"sparse": torch.eye(3).to_sparse(), "conj": torch.ones(2, dtype=torch.complex64).conj()}.items():
        torch.save({name: value}, tmp_path / "a.pt")
        assert ("_rebuild_sparse_tensor" if name == "sparse" else "conj") in refusal(tmp_path / "a.pt")


def test_legacy_and_script_files_are_named(tmp_path):
    torch.save({"w": torch.ones(2)}, tmp_path / "a.pt", _use_new_zipfile_serialization=False)
    assert "before 1.6" in refusal(tmp_path / "a.pt")
    torch.jit.script(torch.nn.Linear(2, 2)).save(tmp_path / "s.pt")
    assert "TorchScript" in refusal(tmp_path / "s.pt")
    (tmp_path / "p.pt").write_bytes(pickle.dumps({"w": 1}))
    assert refusal(tmp_path / "p.pt")
