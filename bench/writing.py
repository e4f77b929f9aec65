"""Writing tensors of a GPT's training step into a trace, against h5py on the same tensors."""
import json

from harness import GPT, median, table

MEGABYTES = 400
ROUNDS = 5


def lists(bench):
    """Files of the tensors that both sides write, once per run."""
    marker = bench.folder / "float32.json"
    if not marker.exists():
        trace = bench.record("tensors.h5", *GPT, "--steps", "1", "--self-check", "none")
        bench.script(bench.python(), "tensors.py", trace, bench.folder, MEGABYTES)
    return {dtype: str(bench.folder / f"{dtype}.json") for dtype in ("float32", "bfloat16")}


def ours(bench, tensors, threads, codec, *more, rounds=ROUNDS):
    return json.loads(bench.run(bench.program("bench_write"), tensors, str(bench.folder / "written.h5"), str(threads),
                                codec, str(rounds), *more))


def h5py(bench, tensors, options, rounds=ROUNDS):
    return bench.script(bench.python(), "write_h5py.py", tensors, bench.folder / "peer.h5", options, rounds)


def rate(result, raw):
    return raw / 1e9 / median(result["seconds"])


def rows_of(bench, dtype, tensors):
    peer = h5py(bench, tensors, "zstd1")
    rows, base = [], None
    for words, threads, codec, more in (("standard", 2, "standard", ()), ("standard", 1, "standard", ()),
                                        ("fast", 2, "fast", ()), ("none", 2, "none", ()),
                                        ("standard, statistics and sketches too", 2, "standard", ("fingerprint",))):
        result = ours(bench, tensors, threads, codec, *more)
        base = base or rate(peer, result["raw"])
        speed = rate(result, result["raw"])
        rows.append([dtype, f"goldentrace, {words}", str(threads), f"{speed:.2f}", f"{speed / base:.2f}",
                     f"{result['raw'] / result['stored']:.3f}"])
    raw = result["raw"]
    rows.insert(0, [dtype, "h5py, Zstd(1) + shuffle", "1", f"{base:.2f}", "1.00", f"{raw / peer['stored']:.3f}"])
    return rows


def section(bench):
    rows = [row for dtype, tensors in lists(bench).items() for row in rows_of(bench, dtype, tensors)]
    return table(["tensors", "written by", "threads", "GB/s", "ratio", "compression"], rows)
