"""Outsiders read what goldentrace writes: h5py with hdf5plugin, h5py and h5dump with goldentrace's own filter plugin."""

import os
import pathlib
import re
import subprocess
import sys

import h5py
import pytest

import judge_trace

WRITE_TRACE = os.environ["GOLDENTRACE_WRITE_TRACE"]
RECORDS = 170
PLUGIN_FOLDER = os.environ.get("GOLDENTRACE_PLUGIN_FOLDER", "")
FORMAT_PAGE = pathlib.Path(__file__).parents[3] / "docs" / "FORMAT.md"
needs_plugin = pytest.mark.skipif(not PLUGIN_FOLDER, reason="a sanitized plugin cannot be loaded")


@pytest.fixture(scope="module", params=["standard in-place", "fast in-place", "small in-place", "none in-place",
                                        "standard copied", "none copied"])
def trace(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("trace") / "run.h5"
    subprocess.run([WRITE_TRACE, path, *request.param.split()], check=True)
    # The heads of a journal's entries are there, or are not.
    assert (b"GTEJ" in path.read_bytes()) == ("in-place" in request.param)
    return path


def names_of(path):
    names = []
    with h5py.File(path) as file:
        file.visititems(lambda name, item: names.append("/" + name) if isinstance(item, h5py.Dataset) else None)
    return names


def h5dump(*arguments, plugins=PLUGIN_FOLDER):
    environment = os.environ | {"HDF5_PLUGIN_PATH": str(plugins)}
    return subprocess.run(["h5dump", *map(str, arguments)], env=environment, capture_output=True, text=True)


def test_every_value_through_h5py(trace):
    datasets, records = judge_trace.judge(trace)
    assert datasets > 50 and records == RECORDS


@needs_plugin
def test_every_byte_through_h5dump(trace, tmp_path):
    out = tmp_path / "raw.bin"
    payloads = [name for name in names_of(trace) if name.startswith(("/packed/", "/tensors/"))]
    assert len(payloads) > 40
    with h5py.File(trace) as file:
        for name in payloads:
            done = h5dump("-d", name, "-b", "FILE", "-o", out, trace)
            assert done.returncode == 0, done.stderr
            assert out.read_bytes() == judge_trace.raw_bytes(file[name]).tobytes(), name


@needs_plugin
def test_every_table_as_text_through_h5dump(trace):
    tables = [name for name in names_of(trace) if not name.startswith("/tensors/")]
    done = h5dump(*[argument for name in tables for argument in ("-d", name)], trace)
    assert done.returncode == 0 and not done.stderr
    assert "model.name=every dtype" in done.stdout and '"hash_high"' in done.stdout


@needs_plugin
def test_names_without_the_plugin(trace, tmp_path):
    assert h5dump("-H", trace, plugins=tmp_path).returncode == 0


@needs_plugin
def test_the_plugin_refuses_damaged_frames(trace, tmp_path):
    """One flipped byte in the middle of each frame of a dataset: an error, never values."""
    name = "/tensors/layers.float32/output.2"
    with h5py.File(trace) as file:
        dataset = file[name].id
        if dataset.get_create_plist().get_nfilters() == 0:
            pytest.skip("stored as it is")
        assert dataset.get_num_chunks() > 1
        places = [dataset.get_chunk_info(i) for i in range(dataset.get_num_chunks())]
    for place in places:
        # The frame header with its content size, where a wrong size would be believed.
        for offset in (0, 4, 6):
            damaged = bytearray(trace.read_bytes())
            damaged[place.byte_offset + offset] ^= 0x41
            file = tmp_path / "damaged.h5"
            file.write_bytes(damaged)
            done = h5dump("-d", name, file)
            assert done.returncode != 0, f"byte {offset} of a frame"


@needs_plugin
def test_h5py_with_our_plugin(trace):
    """Without hdf5plugin, in a fresh interpreter."""
    code = "import h5py, sys; f = h5py.File(sys.argv[1]); print(f['packed/float32'][()].sum(), len(f['index'][()]))"
    environment = os.environ | {"HDF5_PLUGIN_PATH": PLUGIN_FOLDER}
    done = subprocess.run([sys.executable, "-c", code, trace], env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.split()[1] == str(RECORDS), done.stderr


def test_the_example_of_the_format_page(trace):
    code = re.search(r"```python\n(.*?)```", FORMAT_PAGE.read_text(), re.S).group(1)
    assert len(code.splitlines()) == 5
    done = subprocess.run([sys.executable, "-c", code], cwd=trace.parent, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("layers.bool [[") and done.stdout.count("\n") == 2
