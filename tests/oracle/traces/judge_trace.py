"""Reads a trace of write_trace with h5py and hdf5plugin alone, as docs/FORMAT.md describes it, and compares every value
with what was written."""

import h5py
import hdf5plugin  # noqa: F401  registers the Zstandard filter
import numpy as np
from h5py import h5s

DTYPES = (
    "none bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex32 complex64 "
    "complex128 float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu"
).split()
SIZES = [0, 1, 1, 1, 2, 4, 8, 2, 4, 8, 2, 2, 4, 8, 4, 8, 16, 1, 1, 1, 1, 1]
NATIVE = {"bool": np.bool_, "complex64": np.complex64, "complex128": np.complex128}


def content(seed, count, is_bool):
    with np.errstate(over="ignore"):
        x = np.arange(count, dtype=np.uint64) + np.uint64(seed << 32) + np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        x = x ^ (x >> np.uint64(31))
    return (x & np.uint64(1 if is_bool else 255)).astype(np.uint8)


def raw_bytes(dataset):
    """Every byte of a dataset with memory type = file type: no conversion on the way."""
    file_type = dataset.id.get_type()
    out = np.empty(dataset.size * file_type.get_size(), dtype=np.uint8)
    dataset.id.read(h5s.ALL, h5s.ALL, out, mtype=file_type)
    return out


def strings(file, group):
    data = bytes(file[group + "/bytes"][()])
    ends = [0, *file[group + "/ends"][()].tolist()]
    return [data[a:b] for a, b in zip(ends, ends[1:])]


def check(condition, what):
    assert condition, what


def check_type(dataset, name):
    kind = dataset.dtype
    if name in NATIVE:
        check(kind == NATIVE[name], f"h5py shows {name} as {kind}")
    elif name.startswith("float8"):
        check(kind == np.uint8 and dataset.attrs["dtype"].decode() == name, f"h5py shows {name} as {kind}")
    elif name == "bfloat16":
        file_type = dataset.id.get_type()
        check(file_type.get_fields() == (15, 7, 8, 0, 7) and file_type.get_ebias() == 127, "bfloat16 fields")
    elif name == "complex32":
        check(kind.itemsize == 4, f"h5py shows {name} as {kind}")
    else:
        check(kind == np.dtype(name), f"h5py shows {name} as {kind}")


def check_values(dataset, name, stored):
    """What h5py converts must be what torch would show: bfloat16 is the upper half of a float32."""
    if name != "bfloat16":
        return
    shown = dataset[()].astype(np.float32).view(np.uint32).ravel()
    wanted = stored.view(np.uint16).astype(np.uint32) << 16
    nan = np.isnan(wanted.view(np.float32))
    check(np.array_equal(shown[~nan], wanted[~nan]), "bfloat16 values through h5py")
    check(np.isnan(shown.view(np.float32)[nan]).all(), "bfloat16 NaN through h5py")


def check_records(file, names):
    index, datasets = file["index"][()], file["datasets"][()]
    shapes, producers = file["shapes"][()], file["producers"][()]
    paths = [names[row["path"]].decode() for row in datasets]
    data = {path: raw_bytes(file[path]) for path in paths}
    for path, row in zip(paths, datasets):
        check_type(file[path], DTYPES[row["dtype"]])
        check_values(file[path], DTYPES[row["dtype"]], data[path])
    for number, row in enumerate(index):
        name, size = DTYPES[row["dtype"]], SIZES[row["dtype"]]
        check(names[row["layer"]].decode() == "layers." + name, f"layer of record {number}")
        shape = shapes[row["shape"] : row["shape"] + row["dimensions"]]
        count = int(np.prod(shape, dtype=np.int64)) * size
        first = row["producers"]
        check(producers[first : first + row["producer_count"]].tolist() == ([number - 1] if number else []), "producers")
        wanted = content(number, count, name == "bool")
        if count == 0:
            check(row["dataset"] == 0xFFFFFFFE, "an empty payload")
            continue
        where = datasets[row["dataset"]]
        start = int(row["row"]) * (size if where["kind"] == 0 else count)
        stored = data[paths[row["dataset"]]][start : start + count]
        check(np.array_equal(stored, wanted), f"bytes of record {number} ({name} {shape.tolist()})")
    return len(index)


def check_rest(file, names):
    check(file.attrs["format"].decode() == "goldentrace.trace" and file.attrs["version"] == 1, "root attributes")
    header = file["header"][()].decode()
    lines = header.splitlines()
    check(lines[0] == "goldentrace.header/1" and lines[1].startswith("capture.codec="), "header's beginning")
    check(lines[2:] == ["model.name=every dtype", "odd\\x3dname=line\\nbreak \\\\ ü"], "header")
    call = file["calls"][0]
    check((call["step"], call["micro"], call["call"], call["replayable"]) == (1, 2, 3, 1), "call")
    check(names[call["layer"]] == b"layers.0" and names[call["note"]] == b"note", "names of the call")
    check(strings(file, "tapes")[call["tape"]].startswith(b"goldentrace.tape/1\n"), "tape")
    check(strings(file, "blobs")[call["random"]] == content(99, 5056, False).tobytes(), "random state")
    sketches = {1: file["sketches/float32"][()], 2: file["sketches/float64"][()]}
    for row in file["index"][()]:
        values = sketches[row["sketch_table"]][row["sketch"] : row["sketch"] + row["sketch_count"]]
        with np.errstate(over="ignore"):
            check(np.array_equal(values, np.array([1.5, -2.25, 1e300]).astype(values.dtype)), "sketch")


def read_everything(file):
    found = []
    file.visititems(lambda name, item: found.append(name) if isinstance(item, h5py.Dataset) else None)
    for name in found:
        raw_bytes(file[name]) if file[name].size else None
    return len(found)


def judge(path):
    """Returns how many datasets and records were found as written."""
    with h5py.File(path, "r") as file:
        check(file.userblock_size == 512, "first block")
        names = strings(file, "strings")
        records = check_records(file, names)
        check_rest(file, names)
        return read_everything(file), records
