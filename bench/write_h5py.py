"""Writes the tensors of a list with h5py and times it: write_h5py.py LIST OUT FILTER ROUNDS

FILTER: zstd1, zstd3 (both with byte shuffle), bitshuffle (with Zstandard 1), none. Chunks of 1 MiB, as in a trace. The
file is synced to the disk within the time, as a trace is. Prints {"seconds": […], "stored": bytes of chunks}.
"""
import json
import os
import sys
import time

import h5py
import hdf5plugin
import numpy

FILTERS = {
    "zstd1": dict(shuffle=True, **hdf5plugin.Zstd(clevel=1)),
    "zstd3": dict(shuffle=True, **hdf5plugin.Zstd(clevel=3)),
    "bitshuffle": dict(**hdf5plugin.Bitshuffle(cname="zstd", clevel=1)),
    "none": {},
}
CHUNK_BYTES = 1 << 20


def load(path):
    for entry in json.loads(open(path).read()):
        kind = "f4" if entry["dtype"] == "float32" else "u2"
        yield numpy.fromfile(entry["file"], kind).reshape(entry["shape"])


def chunk_of(array):
    """Whole trailing axes, as many rows as fit."""
    row = array[0].nbytes if array.ndim > 1 else array.itemsize
    return (max(1, min(array.shape[0], CHUNK_BYTES // row)), *array.shape[1:])


def write(tensors, path, options):
    start = time.perf_counter()
    with h5py.File(path, "w", libver=("v108", "v108")) as file:
        for number, tensor in enumerate(tensors):
            file.create_dataset(f"t{number}", data=tensor, chunks=chunk_of(tensor), **options)
        file.flush()
        os.fsync(file.id.get_vfd_handle())
    return time.perf_counter() - start


def main():
    tensors, path, options, rounds = list(load(sys.argv[1])), sys.argv[2], FILTERS[sys.argv[3]], int(sys.argv[4])
    seconds = [write(tensors, path, options) for _ in range(rounds)]
    with h5py.File(path) as file:
        stored = sum(dataset.id.get_storage_size() for dataset in file.values())
    os.remove(path)
    print(json.dumps({"seconds": seconds, "stored": stored}))


main()
