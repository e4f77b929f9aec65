"""Turns the largest tensors of a trace into plain files, once as they are and once as bfloat16:

    tensors.py TRACE FOLDER MEGABYTES

writes FOLDER/{float32,bfloat16}.json, lists of {file, dtype, shape}, and prints the bytes of both.
"""
import json
import pathlib
import sys

import h5py
import hdf5plugin  # registers the Zstandard filter
import numpy
import torch

WANTED_ROLES = ("param.", "param_grad.", "output.", "grad_output.")


def tensors_of(trace):
    """Every row of the payload datasets: one distinct float32 tensor each, those of different roles in turn."""
    found = []
    with h5py.File(trace) as file:
        def visit(name, item):
            if isinstance(item, h5py.Dataset) and name.split("/")[-1].startswith(WANTED_ROLES) and item.dtype == "f4":
                found.append(name)
        file["tensors"].visititems(visit)
        for name in sorted(found, key=lambda name: name.split("/")[-1]):
            for row in file["tensors"][name]:
                yield row


def save(folder, number, dtype, array, shape):
    path = folder / f"{dtype}.{number}.bin"
    array.tofile(path)
    return {"file": str(path), "dtype": dtype, "shape": list(shape)}


def main():
    trace, folder, limit = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3]) * 1_000_000
    lists, total = {"float32": [], "bfloat16": []}, 0
    for number, tensor in enumerate(tensors_of(trace)):
        if total > limit:
            break
        total += tensor.nbytes
        lists["float32"].append(save(folder, number, "float32", tensor, tensor.shape))
        half = torch.from_numpy(numpy.ascontiguousarray(tensor)).bfloat16().view(torch.int16).numpy()
        lists["bfloat16"].append(save(folder, number, "bfloat16", half, tensor.shape))
    for dtype, rows in lists.items():
        (folder / f"{dtype}.json").write_text(json.dumps(rows))
    print(json.dumps({"float32": total, "bfloat16": total // 2}))


main()
