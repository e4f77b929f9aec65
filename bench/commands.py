"""Whole commands, start to end: gtrace diff of small traces, gtrace replay of one layer; the size of a golden."""
import os

from harness import GPT, table

SMALL_MLP = ["mlp", "--input_dim", "64", "--train_dataset_len", "512", "--threads", "1"]
REPLAYED_LAYER = "h.1.mlp"


def start_up(bench):
    rows = []
    for capture in ("full", "sketch"):
        a, b = (bench.record(f"{side}-{capture}.h5", *SMALL_MLP, "--capture", capture) for side in "ab")
        time = bench.median_time(bench.program("gtrace"), "diff", a, b, runs=30)
        size = os.path.getsize(a) / 1e3
        rows.append([f"gtrace diff, equal traces of a small MLP, {capture} ({size:.0f} kB each)",
                     f"{time * 1e3:.1f} ms", "50 ms"])
    version = bench.median_time(bench.program("gtrace"), "--version", runs=30)
    rows.append(["gtrace --version", f"{version * 1e3:.1f} ms", ""])
    return table(["start to end", "median", "goal"], rows)


def replay(bench):
    trace = bench.record("gpt.h5", *GPT, "--steps", "2", "--capture", "full")
    time = bench.median_time(bench.program("gtrace"), "replay", trace, "--layer", REPLAYED_LAYER, "--step", "0", runs=5)
    return table(["start to verdict", "median", "goal", "floor"],
                 [[f"gtrace replay of {REPLAYED_LAYER}, one step, forward and backward, GPT 4 x 768, 256 tokens",
                   f"{time:.2f} s", "1 s", "2 s"]])


def golden(bench):
    trace = bench.record("golden.h5", "mlp", "--variant", "ga-loop", "--gradient_accumulation_steps", "8",
                         "--capture", "sketch")
    size = os.path.getsize(trace) / 1e3
    os.remove(trace)
    return table(["golden", "size", "goal", "floor"],
                 [["MLP trainer at full size (141 million parameters), 8 steps of 8 micro-batches, sketch",
                   f"{size:.0f} kB", "500 kB", "1 MB"]])
