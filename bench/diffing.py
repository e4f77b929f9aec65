"""Comparing traces of several hundred megabytes against h5diff, and traces of very many records."""
import os
import shutil

from harness import Unavailable, table

RUNS = 5
ELEMENTS = 1 << 20  # of a tensor
# dtype: tensors. h5diff converts bfloat16 in software: less of it is enough.
TENSORS = {"float32": 100, "bfloat16": 50}
CHANGES = [("all", "every element differs by one unit in the last place"),
           ("tenth", "every tenth tensor differs so"),
           ("none", "identical")]
TARGETS = {("float32", "all"): ("6", "4"), ("bfloat16", "all"): ("60", "24"), ("float32", "none"): ("50", "15"),
           ("bfloat16", "none"): ("50", "15")}
SMALL = (20_000, 40_000)
MANY = 1_000_000


def pair(bench, dtype, tensors, elements, change):
    paths = [str(bench.folder / f"{dtype}-{tensors}-{change}-{side}.h5") for side in "ab"]
    if not all(os.path.exists(path) for path in paths):
        bench.run(bench.program("bench_trace_pair"), *paths, dtype, str(tensors), str(elements), change)
    return paths


def drop(paths):
    for path in paths:
        os.remove(path)


def h5diff(bench, a, b):
    """All values are compared, and none is printed: the largest allowed difference is out of reach."""
    if not shutil.which("h5diff"):
        raise Unavailable("h5diff is not installed (hdf5-tools)")
    return bench.median_time("h5diff", "--delta=1e30", a, b, runs=RUNS, codes=(0, 1))


def gtrace(bench, a, b):
    return bench.median_time(bench.program("gtrace"), "diff", "--quiet", a, b, runs=RUNS, codes=(0, 1))


def large_rows(bench):
    rows = []
    for dtype, tensors in TENSORS.items():
        for change, words in CHANGES:
            a, b = pair(bench, dtype, tensors, ELEMENTS, change)
            peer, ours = h5diff(bench, a, b), gtrace(bench, a, b)
            single = bench.median_time("taskset", "-c", "0", bench.program("gtrace"), "diff", "--quiet", a, b,
                                       runs=RUNS, codes=(0, 1))
            goal, floor = TARGETS.get((dtype, change), ("", ""))
            size = 2 * os.path.getsize(a) / 1e6
            rows.append([f"{dtype}, {words} ({size:.0f} MB stored)", f"{peer:.2f} s", f"{ours:.3f} s",
                         f"{peer / ours:.1f}", f"{peer / single:.1f}", goal, floor])
            drop([a, b])
    return rows


def small_rows(bench):
    rows, times = [], []
    for count in SMALL:
        a, b = pair(bench, "float32", count, 4, "none")
        peer, ours = h5diff(bench, a, b), gtrace(bench, a, b)
        times.append(ours)
        rows.append([f"{count} equal tensors of 4 floats", f"{peer:.2f} s", f"{ours:.3f} s", f"{peer / ours:.1f}", "",
                     "0.5", ""])
        drop([a, b])
    rows.append(["twice as many small tensors: time", "", f"{times[1] / times[0]:.2f} x", "", "", "2.5 x", ""])
    return rows


def many_rows(bench):
    a, b = pair(bench, "float32", MANY, 4, "none")
    whole = gtrace(bench, a, b)
    opened = bench.median_time(bench.program("gtrace"), "show", "--quiet", a, runs=RUNS)
    drop([a, b])
    return [[f"{MANY} equal records: gtrace diff", "", f"{whole:.2f} s", "", "", "", ""],
            [f"{MANY} records: opening one trace", "", f"{opened:.2f} s", "", "", "1 s", ""]]


def section(bench):
    """`ratio`: h5diff (one thread) by gtrace diff on all cores; `one core`: with gtrace held on one."""
    head = ["traces", "h5diff", "gtrace diff", "ratio", "ratio, one core", "goal", "floor"]
    return table(head, large_rows(bench) + small_rows(bench) + many_rows(bench))
