"""How small each codec makes the tensors of a GPT's training step, beside other coders on the same tensors."""
from harness import table
from writing import h5py, lists, ours


def zipnn(bench, tensors):
    return bench.script(bench.peers(), "compress_zipnn.py", tensors, 1)["stored"]


def section(bench):
    columns = {}
    for dtype, tensors in lists(bench).items():
        own = {codec: ours(bench, tensors, 2, codec, rounds=1) for codec in ("standard", "fast", "small", "none")}
        raw = own["none"]["raw"]
        column = {f"goldentrace, {codec}": result["stored"] for codec, result in own.items()}
        for words, options in (("h5py, Zstd(1) + shuffle", "zstd1"), ("h5py, Zstd(3) + shuffle", "zstd3"),
                               ("h5py, bitshuffle + Zstd(1)", "bitshuffle")):
            column[words] = h5py(bench, tensors, options, rounds=1)["stored"]
        column["ZipNN (order-0 coder)"] = zipnn(bench, tensors)
        columns[dtype] = {name: f"{raw / stored:.3f}" for name, stored in column.items()}
    first = next(iter(columns.values()))
    return table(["coder", *columns], [[name, *(column[name] for column in columns.values())] for name in first])
